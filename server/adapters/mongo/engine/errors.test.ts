import { MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { isTransient, OutdatedReadError } from './errors.js';

const labelled = new MongoServerError({ message: 'step down', errorLabels: ['TransientTransactionError'] });

test.each([
  ['with the label of a transient error', labelled, true],
  ['of a conflict without a label', new MongoServerError({ message: 'deadlock detected', code: 112 }), true],
  ['of an outdated read', new OutdatedReadError(), true],
  ['of a duplicate key', new MongoServerError({ message: 'E11000', code: 11_000 }), false],
  ['of something else', new Error('on purpose'), false],
])('an error %s: is a retry right?', (_, error, retries) => {
  expect(isTransient(error)).toBe(retries);
});
