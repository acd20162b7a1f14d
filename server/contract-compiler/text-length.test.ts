import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAjv } from './api-document.js';

test('texts get the same lengths and error messages as from Ajv itself', () => {
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

test('code points are not counted if the number of code units decides', () => {
  const validate = createAjv({ strict: false, code: { source: true } }).compile({ minLength: 1, maxLength: 8 });

  // The generated code shows which comparison comes first.
  expect(validate.source?.validateCode).toMatch(/\.length > 8 && \(\w+\.length > 16 \|\|/);
  expect(validate.source?.validateCode).toMatch(/\.length < 2 && \w+\(/);
});
