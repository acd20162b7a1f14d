import type { Connection } from '../connection.js';
import type { CheckpointMode, Copier } from './checkpoint-thread.js';

/** Number of new pages that start a copy: 8 MiB. Fewer copies skip more overwritten pages, but each takes longer. */
const STEP_PAGES = 2_000;
/** The limit of the log in steps: 32 MiB. */
const LIMIT_STEPS = 4;
/**
 * Counting the pages takes as long as the shortest write. So while the next copy is far, up to this number of transactions
 * begin without a count, if they may write this number of pages each. Larger ones make the log a little longer.
 */
const MAX_UNCOUNTED = 8;
const PAGES_PER_TRANSACTION = 100;
/** The limit while a reader of the service needs the log for long, as a multiple of the usual one. */
const LIMITS_WHILE_READ = 4;
/** Growth of a log beyond its limit, as a share of its pages, before the next retry. Each retry blocks writers. */
const GROWTH_BEFORE_RETRY = 0.25;

/**
 * Keeps the log short that commits are written to.
 *
 * After each `step` new pages, the whole log is copied into the database, while
 * writers continue. The engine writes at the start of the log again only after
 * a copy of its last page. Under constant writes no copy reaches it. So at its
 * limit, writers wait before their transaction for a copy of the rest.
 *
 * The log cannot restart while a reader needs it. Readers of the service end
 * soon, and the copy waits for them. An outside reader (a backup, a shell) may
 * take long. Then the log grows beyond its limit, and the restart is retried
 * when it has grown by a quarter. If the disk prevents the copy, units are
 * rejected at the limit, and each group retries.
 *
 * The check of the pages after a start reads for long too. So that writers do not
 * wait for it in vain, the limit is higher meanwhile.
 */
export class WriteAheadLog {
  readonly #writer: Connection;
  readonly #copier: Copier;
  readonly #step: number;
  readonly #limit: number;
  #isReadForLong: () => boolean = () => false;
  /** True if the log was read for long when its pages were counted last. */
  #wasRead = false;
  #copying: Promise<void> | undefined;
  /** Number of pages in the log at which the next copy starts. */
  #due: number;
  #pages = 0;
  /** Number of transactions that may begin before the next count. */
  #uncounted = 0;

  /** @param step number of new pages that start a copy */
  constructor(writer: Connection, copier: Copier, step = STEP_PAGES) {
    this.#writer = writer;
    this.#copier = copier;
    this.#step = step;
    this.#limit = step * LIMIT_STEPS;
    this.#due = step;
  }

  /**
   * Resolves when the next transaction may begin. Must be called between two transactions.
   *
   * @throws {StoreUnavailableError} if the log is full and cannot be copied
   */
  async makeRoom(): Promise<void> {
    if (this.#uncounted > 0) {
      this.#uncounted -= 1;
      return;
    }
    const pages = this.#count();
    if (pages < this.#pages) this.#due = this.#step;
    this.#pages = pages;
    if (pages < this.#due) {
      this.#uncounted = Math.min(MAX_UNCOUNTED, Math.floor((this.#due - pages) / PAGES_PER_TRANSACTION));
      return;
    }
    if (pages >= this.#currentLimit()) await this.#copyAll();
    // After a failure, the copy is retried before the log reaches its limit.
    else this.#copy('PASSIVE').catch(() => {});
    this.#due = pages + Math.max(this.#step, pages * GROWTH_BEFORE_RETRY);
  }

  /** @param isReadForLong reports if a reader of the service still needs an old part of the log */
  expectReader(isReadForLong: () => boolean): void {
    this.#isReadForLong = isReadForLong;
  }

  async close(): Promise<void> {
    await this.#copier.close();
  }

  /** Once more after a long read, most of the log is copied while writers continue. */
  #currentLimit(): number {
    const isRead = this.#isReadForLong();
    const limit = isRead || this.#wasRead ? LIMITS_WHILE_READ * this.#limit : this.#limit;
    this.#wasRead = isRead;
    return limit;
  }

  /** Returns the number of pages in the log. In the mode NOOP, the pragma copies nothing. */
  #count(): number {
    return this.#writer.get<{ log: number }>('PRAGMA wal_checkpoint(NOOP)')?.log ?? 0;
  }

  /** Copies once more after a running copy, which omits pages that were added since it started. */
  async #copyAll(): Promise<void> {
    await this.#copying?.catch(() => {});
    await this.#copy('RESTART');
  }

  /** Starts a copy, or returns the one that runs. */
  #copy(mode: CheckpointMode): Promise<void> {
    this.#copying ??= this.#copier.copy(mode).finally(() => {
      this.#copying = undefined;
    });
    return this.#copying;
  }
}
