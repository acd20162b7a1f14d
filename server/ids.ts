import { randomFillSync } from 'node:crypto';

const RANDOM_BYTES = 16;
/** Number of ids whose random bytes are requested from the system at once. */
const IDS_PER_FILL = 256;

/** Creates UUIDs v7 in ascending order. */
export class RisingIds {
  readonly #random = Buffer.alloc(RANDOM_BYTES * IDS_PER_FILL);
  readonly #now: () => number;
  #used = IDS_PER_FILL;
  #msecs = 0;
  #seq = 0;

  /** @param now clock in milliseconds; it may step backwards */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  next(): string {
    const at = this.#takeRandom();
    const now = this.#now();
    if (now > this.#msecs) {
      this.#msecs = now;
      // The counter starts in its lower half, so that the upper half is free for ids of the same millisecond.
      this.#seq = this.#random.readUInt32BE(at) >>> 1;
    } else {
      this.#seq += 1;
    }
    return uuidV7(this.#msecs, this.#seq, this.#random, at);
  }

  /** Returns the position of bytes that no id has used. */
  #takeRandom(): number {
    if (this.#used === IDS_PER_FILL) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    this.#used += 1;
    return (this.#used - 1) * RANDOM_BYTES;
  }
}

/** Text of the last id. Each id overwrites its digits, and keeps the hyphens. */
const TEXT = Buffer.from('00000000-0000-0000-0000-000000000000');
/** Positions of the digits of each byte. */
const POSITIONS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const DIGITS = Buffer.from('0123456789abcdef');

/**
 * Formats a UUID v7 (RFC 9562, section 5.7) whose first random bits are a counter. The package `uuid` does the same,
 * but loading its twenty files takes 5 % of the start time.
 *
 * @param seq counter of 32 bits
 * @param random 16 bytes at the position `at`, of which the last six are used; overwritten
 */
function uuidV7(msecs: number, seq: number, random: Buffer, at: number): string {
  random.writeUInt32BE(Math.floor(msecs / 2 ** 16), at);
  random.writeUInt16BE(msecs % 2 ** 16, at + 4);
  random.writeUInt16BE(0x7000 | (seq >>> 20), at + 6);
  random.writeUInt16BE(0x8000 | ((seq >>> 6) & 0x3fff), at + 8);
  random.writeUInt8(((seq << 2) & 0xff) | (random.readUInt8(at + 10) & 0b11), at + 10);
  for (let index = 0; index < RANDOM_BYTES; index += 1) {
    const byte = random[at + index] as number;
    const position = POSITIONS[index] as number;
    TEXT[position] = DIGITS[byte >>> 4] as number;
    TEXT[position + 1] = DIGITS[byte & 0xf] as number;
  }
  return TEXT.toString('latin1');
}
