import { setImmediate } from 'node:timers/promises';

/** Rows that are deleted in a few milliseconds. */
const DELETED_TOGETHER = 500;

/** Lets requests, timers and sockets have their turn during long work on the only thread. */
export class Yielder {
  readonly #longestTurnMs: number;
  #since = performance.now();
  #last: Promise<void> = Promise.resolve();

  /** @param longestTurnMs after which others get a turn */
  constructor(longestTurnMs: number) {
    this.#longestTurnMs = longestTurnMs;
  }

  /** Called where others have just had their turn. */
  begin(): void {
    this.#since = performance.now();
  }

  /**
   * Resolves when there is time for the caller's next piece of work, which has
   * to begin at once: of many that wait, each is looked at when the one before
   * it has done its piece, and goes on in a later turn if that took long.
   */
  breathe(): Promise<void> {
    this.#last = this.#last.then(() => this.#take());
    return this.#last;
  }

  /** Deletes rows until there are none left. @param remove deletes at most so many, and tells how many there were */
  async deleteMany(remove: (most: number) => number): Promise<void> {
    while (remove(DELETED_TOGETHER) === DELETED_TOGETHER) await this.breathe();
  }

  async #take(): Promise<void> {
    if (performance.now() - this.#since < this.#longestTurnMs) return;
    await setImmediate();
    this.begin();
  }
}
