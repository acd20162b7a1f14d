import type { Logger } from '../logger.js';

/**
 * Runs upkeep repeatedly, one run at a time. A failed run is logged, and the next one continues its work. Disposing
 * starts no more runs, and waits until the current one has ended its step.
 */
export class Tending implements AsyncDisposable {
  readonly #tend: (stopping: AbortSignal) => Promise<void>;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    tend: (stopping: AbortSignal) => Promise<void>,
    { everyMs, logger }: { everyMs: number; logger: Logger },
  ) {
    this.#tend = tend;
    this.#logger = logger;
    this.#timer = setInterval(() => this.run(), everyMs).unref();
  }

  /** Runs the upkeep now, unless it is running. Resolves when that run has ended; never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#once();
    return this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  async #once(): Promise<void> {
    try {
      await this.#tend(this.#stopping.signal);
    } catch (error) {
      this.#logger.error({ err: error }, 'upkeep failed and will run again');
    } finally {
      this.#running = undefined;
    }
  }
}
