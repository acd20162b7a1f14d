/** Indexes of the numbers that threads share. Those that change often are in different lines of processor caches. */
const [WAKES, LEFT, DONE, KERNEL, PAGES, ADDRESS] = [0, 32, 64, 96, 97, 98];
const NUMBERS = 128;
/** Bits of the number of pieces that are left. The others are those of the number of the work. */
const LEFT_BITS = 12;
const LEFT_MASK = 2 ** LEFT_BITS - 1;
const WORK_MASK = 2 ** (31 - LEFT_BITS) - 1;
/** Number of checks if a piece is done. Together they take about as long as scanning it. */
const CHECKS = 500;

export const MAX_PIECES = LEFT_MASK;

/** The pieces of a scan. */
interface Work {
  /** The number of the kernel, and the size of its memory. */
  kernel: number;
  pages: number;
  /** The address of the pieces. */
  address: number;
}

/** A piece of work that the helper has taken. */
export interface TakenPiece extends Work {
  index: number;
}

/**
 * Work that two threads share, without messages, which take longer than a piece of it. The owner publishes it, and both take
 * pieces. The helper does one after the other.
 */
export class SharedWork {
  readonly #numbers: Int32Array;
  #works = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.#numbers = new Int32Array(buffer);
  }

  static newBuffer(): SharedArrayBuffer {
    return new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT);
  }

  /** Changes whenever the helper is woken. */
  get wakes(): number {
    return Atomics.load(this.#numbers, WAKES);
  }

  /** Blocks the thread until the helper is woken. @param wakes after which it has had a look at the work */
  sleep(wakes: number): void {
    Atomics.wait(this.#numbers, WAKES, wakes);
  }

  /** Starts new work, and wakes the helper. @param pieces at most `MAX_PIECES` */
  publish({ kernel, pages, address }: Work, pieces: number): void {
    Atomics.store(this.#numbers, KERNEL, kernel);
    Atomics.store(this.#numbers, PAGES, pages);
    Atomics.store(this.#numbers, ADDRESS, address);
    this.#works = (this.#works + 1) & WORK_MASK;
    Atomics.store(this.#numbers, LEFT, (this.#works << LEFT_BITS) | pieces);
    Atomics.add(this.#numbers, WAKES, 1);
    Atomics.notify(this.#numbers, WAKES);
  }

  /** Takes a piece for the owner, and returns its index. Returns undefined if none is left. */
  takeOwn(): number | undefined {
    for (;;) {
      const left = Atomics.load(this.#numbers, LEFT);
      const pieces = left & LEFT_MASK;
      if (pieces === 0) return undefined;
      if (Atomics.compareExchange(this.#numbers, LEFT, left, left - 1) === left) return pieces - 1;
    }
  }

  /** Takes a piece for the helper. Returns undefined if none is left. */
  take(): TakenPiece | undefined {
    for (;;) {
      const left = Atomics.load(this.#numbers, LEFT);
      const pieces = left & LEFT_MASK;
      if (pieces === 0) return undefined;
      const work = this.#work();
      // Fails if another thread has taken a piece, or if there is other work: its number differs.
      const found = Atomics.compareExchange(this.#numbers, LEFT, left, left - 1);
      if (found === left) return { ...work, index: pieces - 1 };
    }
  }

  /** Reports a piece that the helper has done. */
  done(): void {
    Atomics.add(this.#numbers, DONE, 1);
  }

  /** Number of pieces of all works that the helper has done, as an integer of 32 bits. */
  get doneByHelper(): number {
    return Atomics.load(this.#numbers, DONE);
  }

  /** Waits about as long as a piece takes. Returns false if the helper has not done this number of pieces by then. */
  awaitDone(pieces: number): boolean {
    for (let check = 0; check < CHECKS; check += 1) {
      if (this.doneByHelper === pieces) return true;
    }
    return false;
  }

  #work(): Work {
    const [kernel, pages] = [Atomics.load(this.#numbers, KERNEL), Atomics.load(this.#numbers, PAGES)];
    // An address may use all 32 bits.
    return { kernel, pages, address: Atomics.load(this.#numbers, ADDRESS) >>> 0 };
  }
}
