import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const RANDOM_BYTES = 16;
/** The system is asked for the random bytes of so many ids at once. */
const FILLED_FOR = 256;

/** Makes UUIDs v7, each greater than the one before. */
export class RisingIds {
  readonly #random = new Uint8Array(RANDOM_BYTES * FILLED_FOR);
  readonly #now: () => number;
  #used = FILLED_FOR;
  #msecs = 0;
  #seq = 0;

  /** @param now in milliseconds, by a clock that may step backwards */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  next(): string {
    const random = this.#takeRandom();
    const now = this.#now();
    if (now > this.#msecs) {
      this.#msecs = now;
      // Half of the numbers there are stay free for the ids of the same millisecond.
      this.#seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
    } else {
      this.#seq += 1;
    }
    return v7({ random, msecs: this.#msecs, seq: this.#seq });
  }

  #takeRandom(): Uint8Array {
    if (this.#used === FILLED_FOR) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    const from = this.#used * RANDOM_BYTES;
    this.#used += 1;
    return this.#random.subarray(from, from + RANDOM_BYTES);
  }
}
