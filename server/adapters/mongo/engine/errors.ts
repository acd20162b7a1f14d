import { MongoError, MongoServerError } from 'mongodb';
import { DuplicateMemoryError, StoreUnavailableError } from '../../../ports/store.js';

const DUPLICATE_KEY = 11_000;
/** Faults of our own requests, which no later try would mend. */
const REFUSED = new Set([
  2, // BadValue
  9, // FailedToParse
  14, // TypeMismatch
  121, // DocumentValidationFailure
  10_334, // BSONObjectTooLarge
  17_280, // KeyTooLong
]);

/** What a unit of work read before its transaction had changed when it came to write: it runs again. */
export class OutdatedReadError extends Error {
  override name = 'OutdatedReadError';
}

export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** Whether nothing of a transaction was stored, and the whole of it may be tried again. */
export function isTransient(error: unknown): boolean {
  if (error instanceof OutdatedReadError) return true;
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
}

/** Whether a commit may have happened; committing again is safe. */
export function isCommitUnknown(error: unknown): boolean {
  return error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
}

/** The port's word for an error of the driver; faults of our own stay as they are. */
export function translated(error: unknown): unknown {
  if (isDuplicateKey(error)) return new DuplicateMemoryError('a unique index refused the write', { cause: error });
  if (!(error instanceof MongoError || error instanceof OutdatedReadError)) return error;
  if (error instanceof MongoServerError && REFUSED.has(Number(error.code))) return error;
  return new StoreUnavailableError('The store is unavailable: the database did not answer as it should', {
    cause: error,
  });
}

/** Runs calls of the driver, its errors in the port's words. */
export async function guarded<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw translated(error);
  }
}
