import { setImmediate } from 'node:timers/promises';

/** Number of rows deleted without a pause: takes a few milliseconds. */
const MAX_DELETED_ROWS = 500;

/** Longest work before a piece that takes long itself. A write of one memory takes less. */
const MAX_BEFORE_LONG_MS = 2;

/** Gives turns of the event loop to requests, timers and sockets during long work. */
export class Yielder {
  readonly #maxTurnMs: number;
  #since = performance.now();
  #last: Promise<void> = Promise.resolve();

  /** @param maxTurnMs time after which others get a turn */
  constructor(maxTurnMs: number) {
    this.#maxTurnMs = maxTurnMs;
  }

  /** Restarts the time. Called after others had a turn. */
  begin(): void {
    this.#since = performance.now();
  }

  /**
   * Resolves when the caller may do its next piece of work, which must begin at
   * once. Several callers proceed one after the other, each after the piece of
   * the one before it, and in a later turn if that took long.
   */
  breathe(): Promise<void> {
    this.#last = this.#last.then(() => this.#wait());
    return this.#last;
  }

  /** Resolves when a piece that takes long may begin, such as a commit: at once, unless this turn took some time already. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since < MAX_BEFORE_LONG_MS) return;
    await setImmediate();
    this.begin();
  }

  /** Deletes rows until none are left. @param remove deletes at most `limit` rows and returns their number */
  async deleteMany(remove: (limit: number) => number): Promise<void> {
    while (remove(MAX_DELETED_ROWS) === MAX_DELETED_ROWS) await this.breathe();
  }

  async #wait(): Promise<void> {
    if (performance.now() - this.#since < this.#maxTurnMs) return;
    await setImmediate();
    this.begin();
  }
}
