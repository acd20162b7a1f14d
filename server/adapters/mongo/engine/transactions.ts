import { setTimeout as wait } from 'node:timers/promises';
import type { ClientSession, MongoClient, TransactionOptions } from 'mongodb';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import { isCommitUnknown, isTransient, translated } from './errors.js';

/** Time after which a commit that a majority has not confirmed counts as unknown, and is sent again. */
const MAJORITY_TIMEOUT_MS = 10_000;
const MAX_PAUSE_MS = 250;

const WRITING: TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: MAJORITY_TIMEOUT_MS },
  maxCommitTimeMS: MAJORITY_TIMEOUT_MS,
  readPreference: 'primary',
};
const READING: TransactionOptions = { readConcern: { level: 'snapshot' }, readPreference: 'primary' };

/** Runs transactions, and retries them while that is safe and the deadline has not passed. */
export class Transactions {
  readonly #client: MongoClient;
  readonly #deadlineMs: number;

  constructor(client: MongoClient, deadlineMs: number) {
    this.#client = client;
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Runs `work` in one transaction. It is retried after a conflict with another transaction or a change of the primary,
   * so it must not keep state between attempts. `attempt` starts at 1.
   *
   * @param since when the deadline began to run, by `performance.now`
   * @throws {DuplicateMemoryError} when a unique index rejected a write
   * @throws {StoreUnavailableError} when the transaction did not succeed in time. If the answer to the commit was lost,
   *   the write may be stored
   */
  async write<T>(work: (session: ClientSession, attempt: number) => Promise<T>, since = performance.now()): Promise<T> {
    return this.#run(WRITING, work, since);
  }

  /** Runs reads that see one snapshot of the database. @throws {StoreUnavailableError} */
  async read<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    return this.#run(READING, work, performance.now());
  }

  async #run<T>(
    options: TransactionOptions,
    work: (session: ClientSession, attempt: number) => Promise<T>,
    since: number,
  ): Promise<T> {
    const session = this.#client.startSession();
    const until = since + this.#deadlineMs;
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
          'The store is unavailable: the write may have been applied, and can be retried safely',
          { cause: error },
        );
      }
      await pause(attempt);
    }
  }
}

/** Waits with exponential backoff and jitter, so that conflicting transactions do not meet again. */
async function pause(attempt: number): Promise<void> {
  await wait(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt));
}
