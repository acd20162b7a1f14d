import { MongoError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { DuplicateMemoryError, StoreUnavailableError } from '../../../ports/store-errors.js';
import { UnsupportedCommandError } from './unit-writer.js';

const DUPLICATE_KEY = 11_000;
const WRITE_CONFLICT = 112;
/** Error codes of faults in our own requests, which a retry would not fix. */
const REFUSED = new Set([
  2, // BadValue
  9, // FailedToParse
  14, // TypeMismatch
  121, // DocumentValidationFailure
  10_334, // BSONObjectTooLarge
  17_280, // KeyTooLong
]);

/** Data that a unit of work read before its transaction has changed before it wrote. The unit is retried. */
export class OutdatedReadError extends Error {
  override name = 'OutdatedReadError';
}

export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** True if a transaction stored nothing and can be retried. */
export function isTransient(error: unknown): boolean {
  if (error instanceof OutdatedReadError || error instanceof UnsupportedCommandError) return true;
  // No command was sent, because an election takes longer than the selection of a server.
  if (error instanceof MongoServerSelectionError) return true;
  // The conflict of one write of a bulk has the code, but not the label.
  if (error instanceof MongoServerError && error.code === WRITE_CONFLICT) return true;
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
}

/** True if a commit may have happened. Committing again is safe. */
export function isCommitUnknown(error: unknown): boolean {
  // An earlier attempt to commit may have succeeded.
  if (error instanceof MongoServerSelectionError) return true;
  return error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
}

/** Translates an error of the driver into one of the port. Our own faults stay as they are. */
export function translated(error: unknown): unknown {
  if (isDuplicateKey(error)) return new DuplicateMemoryError('a unique index rejected the write', { cause: error });
  if (!(error instanceof MongoError || error instanceof OutdatedReadError)) return error;
  if (error instanceof MongoServerError && REFUSED.has(Number(error.code))) return error;
  return new StoreUnavailableError('The store is unavailable: the database did not respond as expected', {
    cause: error,
  });
}

/** Calls the driver and translates its errors. */
export async function guarded<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw translated(error);
  }
}
