/** Of the time, the most that runs take. Others have the store for themselves for the rest. */
const LARGEST_SHARE = 0.2;

interface Pause {
  retryAfterMs: number;
}

/** Runs some work one time after the other. Those who ask before a run has begun share it. */
export class SharedRun {
  readonly #work: () => Promise<void>;
  readonly #nowMs: () => number;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<Pause | undefined> | undefined;
  #restsUntilMs = 0;

  /** @param nowMs a clock that never goes back */
  constructor(work: () => Promise<void>, nowMs: () => number = () => performance.now()) {
    this.#work = work;
    this.#nowMs = nowMs;
  }

  /**
   * Resolves after a run that began after this call.
   *
   * @returns after how long to ask again, if no run may begin yet
   */
  run(): Promise<Pause | undefined> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.#runUnlessResting();
    });
    this.#last = this.#next.catch(() => {});
    return this.#next;
  }

  async #runUnlessResting(): Promise<Pause | undefined> {
    const from = this.#nowMs();
    if (from < this.#restsUntilMs) return { retryAfterMs: this.#restsUntilMs - from };
    try {
      await this.#work();
    } finally {
      const tookMs = this.#nowMs() - from;
      this.#restsUntilMs = from + tookMs / LARGEST_SHARE;
    }
    return undefined;
  }
}
