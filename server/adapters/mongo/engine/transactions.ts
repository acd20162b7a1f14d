import { setTimeout as wait } from 'node:timers/promises';
import type { ClientSession, MongoClient, TransactionOptions } from 'mongodb';
import { StoreUnavailableError } from '../../../ports/store.js';
import { isCommitUnknown, isTransient, translated } from './errors.js';

/** Past this, a caller is better served with a 503 than with more tries. */
const DEADLINE_MS = 10_000;
const LONGEST_PAUSE_MS = 250;

const WRITING: TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: DEADLINE_MS },
  readPreference: 'primary',
};
const READING: TransactionOptions = { readConcern: { level: 'snapshot' }, readPreference: 'primary' };

/** Transactions of a deployment, run again as long as that is safe and the time lasts. */
export class Transactions {
  readonly #client: MongoClient;
  readonly #deadlineMs: number;

  constructor(client: MongoClient, deadlineMs: number = DEADLINE_MS) {
    this.#client = client;
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Runs `work` in one transaction. It runs again when another transaction
   * was in the way or the primary changed, so it must start from nothing each
   * time. It is told the number of the try, from 1.
   *
   * @throws {DuplicateMemoryError} when a unique index refused a write
   * @throws {StoreUnavailableError} when the transaction did not go through in time. Where the answer to the commit
   *   was lost, it may have gone through all the same
   */
  async write<T>(work: (session: ClientSession, attempt: number) => Promise<T>): Promise<T> {
    return this.#run(WRITING, work);
  }

  /** Runs reads that see the database at one moment. @throws {StoreUnavailableError} */
  async read<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    return this.#run(READING, work);
  }

  async #run<T>(
    options: TransactionOptions,
    work: (session: ClientSession, attempt: number) => Promise<T>,
  ): Promise<T> {
    const session = this.#client.startSession();
    const until = performance.now() + this.#deadlineMs;
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#once(session, options, () => work(session, attempt), until);
        } catch (error) {
          if (!isTransient(error) || performance.now() >= until) throw error;
          await pause(attempt);
        }
      }
    } catch (error) {
      throw translated(error);
    } finally {
      await session.endSession();
    }
  }

  async #once<T>(
    session: ClientSession,
    options: TransactionOptions,
    work: () => Promise<T>,
    until: number,
  ): Promise<T> {
    session.startTransaction(options);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await session.abortTransaction();
      throw error;
    }
    await commit(session, until);
    return result;
  }
}

async function commit(session: ClientSession, until: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!isCommitUnknown(error)) throw error;
      if (performance.now() >= until) {
        throw new StoreUnavailableError(
          'The store is unavailable: the write may have been applied, and is safe to send again',
          { cause: error },
        );
      }
      await pause(attempt);
    }
  }
}

/** Longer each time, and by chance, so that those who were in each other's way part. */
async function pause(attempt: number): Promise<void> {
  await wait(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt));
}
