import { MongoClient, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { isCommitUnknown, isTransient, OutdatedReadError } from './errors.js';

const labelled = new MongoServerError({ message: 'step down', errorLabels: ['TransientTransactionError'] });
/** The error of a server that cannot be selected, which only the driver can create. */
const selection: unknown = await new MongoClient('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=10')
  .connect()
  .catch((error: unknown) => error);

test.each([
  ['with the label of a transient error', labelled, true],
  ['of a conflict without a label', new MongoServerError({ message: 'deadlock detected', code: 112 }), true],
  ['of an election that takes long', selection, true],
  ['of an outdated read', new OutdatedReadError(), true],
  ['of a duplicate key', new MongoServerError({ message: 'E11000', code: 11_000 }), false],
  ['of something else', new Error('on purpose'), false],
])('an error %s: is a retry right?', (_, error, retries) => {
  expect(isTransient(error)).toBe(retries);
});

test('a commit whose server cannot be selected may have happened before', () => {
  expect(isCommitUnknown(selection)).toBe(true);
  expect(isCommitUnknown(labelled)).toBe(false);
});
