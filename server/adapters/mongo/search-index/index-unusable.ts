import { MongoServerError } from 'mongodb';

const MAX_TIME_EXPIRED = 50;

/** Thrown if a search index was dropped, or answered with an error. */
export class IndexUnusableError extends Error {
  override name = 'IndexUnusableError';
}

/** Runs a search of an index. @throws {IndexUnusableError} if the index is the reason of a failure */
export async function usable<T>(search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (error) {
    const isOfIndex = error instanceof MongoServerError && error.code !== MAX_TIME_EXPIRED;
    if (!isOfIndex || error.hasErrorLabel('RetryableWriteError')) throw error;
    throw new IndexUnusableError('The search index cannot be searched', { cause: error });
  }
}
