import type { Connection } from '../connection.js';
import type { CheckpointMode, Copier } from './checkpoint-thread.js';

/** 8 MiB: with rarer copying pages that are written many times are copied once, but more has to be copied in the end. */
const PAGES_COPIED_TOGETHER = 2_000;
/** Of the pages that are copied together, so many times as much is the most that the log holds: 32 MiB. */
const MOST_COPYINGS = 4;
/** By such a part of itself a log that cannot be started anew grows until that is tried again, which holds writers up. */
const GROWTH = 0.25;

/**
 * The log that commits are written to, kept short.
 *
 * Whenever so many pages were added, all that the log holds is copied into
 * the database, while writing goes on. Only a log that was copied to its end
 * is written from its start again, and under constant writing there always is
 * something new; so at its limit writers wait, before their transaction, for a
 * copying that gets to the end, of the little that was added since the last.
 *
 * Readers keep the log from being started anew for as long as they read. Those
 * of the service are done soon, and that is waited for. A reader from outside
 * (a backup, a shell) may take its time: the log grows beyond its limit, and
 * the next attempt is made when it has grown by a good part. Where the disk keeps the log from
 * being copied, units are refused from the limit on, and each group of them
 * tries again.
 */
export class WriteAheadLog {
  readonly #writer: Connection;
  readonly #copier: Copier;
  readonly #step: number;
  readonly #limit: number;
  #copying: Promise<void> | undefined;
  /** Pages at which it is looked at next. */
  #due: number;
  #pages = 0;

  /** @param step pages after which the log is copied */
  constructor(writer: Connection, copier: Copier, step = PAGES_COPIED_TOGETHER) {
    this.#writer = writer;
    this.#copier = copier;
    this.#step = step;
    this.#limit = step * MOST_COPYINGS;
    this.#due = step;
  }

  /**
   * Called between two transactions; resolves when the next one may begin.
   *
   * @throws {StoreUnavailableError} when the log is full and cannot be copied
   */
  async makeRoom(): Promise<void> {
    const pages = this.#count();
    if (pages < this.#pages) this.#due = this.#step;
    this.#pages = pages;
    if (pages < this.#due) return;
    if (pages >= this.#limit) await this.#copyAll();
    // Where that fails, it is tried again before it keeps anybody from writing.
    else this.#copy('PASSIVE').catch(() => {});
    this.#due = pages + Math.max(this.#step, pages * GROWTH);
  }

  /** Ends what copies, when it is done. */
  async close(): Promise<void> {
    await this.#copier.close();
  }

  /** Pages in the log. The pragma of this mode copies nothing. */
  #count(): number {
    return this.#writer.get<{ log: number }>('PRAGMA wal_checkpoint(NOOP)')?.log ?? 0;
  }

  /** What is being copied ends where the log ended at that time: the rest is copied after it. */
  async #copyAll(): Promise<void> {
    await this.#copying?.catch(() => {});
    await this.#copy('RESTART');
  }

  /** One at a time: where one is under way, that one. */
  #copy(mode: CheckpointMode): Promise<void> {
    this.#copying ??= this.#copier.copy(mode).finally(() => {
      this.#copying = undefined;
    });
    return this.#copying;
  }
}
