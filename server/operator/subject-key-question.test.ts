import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { askSubjectKeyType } from './subject-key-question.js';
import { UsageError } from './usage-error.js';

test.each([
  ['', '\n', 'string'],
  ['integer', 'integer\n', 'integer'],
  ['a type after something else', 'uuid\n Integer \n', 'integer'],
])('the answer %j chooses a type', async (_, answer, type) => {
  const output = new PassThrough();

  expect(await askSubjectKeyType(Readable.from([answer]), output)).toBe(type);

  output.end();
  expect(await text(output)).toMatch(/string or an integer\?\n\[string\] /);
});

test('an input that ends without an answer is a wrong use', async () => {
  await expect(askSubjectKeyType(Readable.from(['uuid\n']), new PassThrough())).rejects.toThrow(UsageError);
});
