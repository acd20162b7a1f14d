import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAjv } from './api-document.js';

test('texts are as long as for Ajv itself, and refused in the same words', () => {
  const [own, theirs] = [createAjv({ strict: false }), new Ajv2020({ strict: false })];
  const text = fc.string({ unit: fc.constantFrom('a', '\u{1f600}', '\ud83d', '\u0301'), maxLength: 8 });
  for (const schema of [{ minLength: 1 }, { minLength: 3 }, { maxLength: 3 }, { minLength: 2, maxLength: 4 }]) {
    const [ours, expected] = [own.compile(schema), theirs.compile(schema)];
    fc.assert(
      fc.property(text, (value) => {
        expect(ours(value)).toBe(expected(value));
        expect(ours.errors).toEqual(expected.errors);
      }),
    );
  }
});

test('a text is not counted where its code units tell', () => {
  const validate = createAjv({ strict: false, code: { source: true } }).compile({ minLength: 1, maxLength: 8 });

  // The text of the code is what says which comparison comes first.
  expect(validate.source?.validateCode).toMatch(/\.length > 8 && \(\w+\.length > 16 \|\|/);
  expect(validate.source?.validateCode).toMatch(/\.length < 2 && \w+\(/);
});
