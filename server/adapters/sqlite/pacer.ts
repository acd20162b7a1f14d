import { setImmediate } from 'node:timers/promises';

/** Others get a turn after so long. */
const LONGEST_TURN_MS = 8;

/** Lets requests, timers and sockets have their turn during long work on the only thread. */
export class Pacer {
  #since = performance.now();
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves when there is time for the caller's next piece of work, which has
   * to begin at once: of many that wait, each is looked at when the one before
   * it has done its piece, and goes on in a later turn if that took long.
   */
  breathe(): Promise<void> {
    this.#last = this.#last.then(() => this.#take());
    return this.#last;
  }

  async #take(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_TURN_MS) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
