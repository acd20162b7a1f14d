/** Maximum share of the time that runs take. The rest is for other users of the store. */
const MAX_SHARE = 0.2;

interface Pause {
  retryAfterMs: number;
}

/** Runs work one run at a time. Calls before a run begins share it. */
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
   * @returns when to retry, if no run may begin yet
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
      this.#restsUntilMs = from + tookMs / MAX_SHARE;
    }
    return undefined;
  }
}
