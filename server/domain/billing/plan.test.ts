import { expect, test } from 'vitest';
import { PlansError, parsePlans } from './plan.js';

test('reads each price with its name and caps, null for none', () => {
  const plans = parsePlans(
    '{"price_a": {"name": "Small", "ingestPerMonth": 100, "searchPerMonth": 0, "storageBytes": 5},' +
      ' "__proto__": {"name": "Odd", "ingestPerMonth": null, "searchPerMonth": null}}',
  );

  expect([...plans]).toEqual([
    ['price_a', { name: 'Small', ingestPerMonth: 100, searchPerMonth: 0, storageBytes: 5 }],
    ['__proto__', { name: 'Odd', ingestPerMonth: undefined, searchPerMonth: undefined, storageBytes: undefined }],
  ]);
});

test('reads no plans from an empty object', () => {
  expect(parsePlans('{}').size).toBe(0);
});

test.each([
  ['', /JSON object of price ids/],
  ['price_a', /JSON object of price ids/],
  ['null', /JSON object of price ids/],
  ['[]', /JSON object of price ids/],
  ['{"price_a": 5}', /price_a must be an object/],
  ['{"price_a": []}', /price_a must be an object/],
  ['{"price_a": {"ingestPerMonth": 1, "searchPerMonth": 1}}', /price_a needs a name/],
  ['{"price_a": {"name": "", "ingestPerMonth": 1, "searchPerMonth": 1}}', /price_a needs a name/],
  ['{"price_a": {"name": "A", "searchPerMonth": 1}}', /price_a needs ingestPerMonth/],
  ['{"price_a": {"name": "A", "ingestPerMonth": 1}}', /price_a needs searchPerMonth/],
  ['{"price_a": {"name": "A", "ingestPerMonth": -1, "searchPerMonth": 1}}', /price_a needs ingestPerMonth/],
  ['{"price_a": {"name": "A", "ingestPerMonth": 1.5, "searchPerMonth": 1}}', /price_a needs ingestPerMonth/],
  ['{"price_a": {"name": "A", "ingestPerMonth": "1", "searchPerMonth": 1}}', /price_a needs ingestPerMonth/],
  ['{"price_a": {"name": "A", "ingestPerMonth": 1, "searchPerMonth": 1, "seats": 3}}', /unknown field seats/],
  ['{"price_a": {"name": "A", "ingestPerMonth": 1, "searchPerMonth": 1, "storageBytes": "1"}}', /needs storageBytes/],
])('rejects %s and names the price or field', (text, message) => {
  expect(() => parsePlans(text)).toThrow(PlansError);
  expect(() => parsePlans(text)).toThrow(message);
});
