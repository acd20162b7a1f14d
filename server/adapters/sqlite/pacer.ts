import { setImmediate } from 'node:timers/promises';

/** Others get a turn after so long. */
const LONGEST_TURN_MS = 8;

/** Lets requests, timers and sockets have their turn during long work on the only thread. */
export class Pacer {
  #since = performance.now();

  async breathe(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_TURN_MS) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
