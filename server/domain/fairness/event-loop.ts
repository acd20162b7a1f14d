/** Time of a turn after which those that wait let one more turn pass. */
const LONG_TURN_MS = 4;

/**
 * Measures the current turn of the event loop, and gives callers later ones.
 *
 * Reads, writes and work on texts each limit their work in a turn. They share a measure and a line, or one turn would
 * contain the work of all of them.
 */
export class EventLoop {
  readonly #waiting: (() => void)[] = [];
  #since: number | undefined;
  #isEndPlanned = false;
  #hasPassed = false;

  /** Begins to measure this turn, unless something has already. */
  measure(): void {
    this.#since ??= performance.now();
    this.#planEnd();
  }

  /** Returns the milliseconds since this turn is measured. */
  elapsed(): number {
    this.measure();
    return performance.now() - (this.#since ?? 0);
  }

  /** Resolves in a later turn. Callers proceed in order, one in each turn. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#planEnd();
    });
  }

  #planEnd(): void {
    if (this.#isEndPlanned) return;
    this.#isEndPlanned = true;
    setImmediate(() => {
      this.#isEndPlanned = false;
      this.#end();
    });
  }

  #end(): void {
    const isLong = this.#since !== undefined && performance.now() - this.#since > LONG_TURN_MS;
    this.#since = undefined;
    if (this.#waiting.length === 0) return;
    // The next turn may be long too, so a caller lets only one pass.
    this.#hasPassed = isLong && !this.#hasPassed;
    if (this.#hasPassed) {
      this.#planEnd();
      return;
    }
    const begin = this.#waiting.shift();
    this.measure();
    begin?.();
  }
}

/** The event loop of this thread. */
export const eventLoop = new EventLoop();
