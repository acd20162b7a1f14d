import type { Logger } from './logger.js';

/** Runs work that a response does not wait for. Disposing of it waits for the work in progress. */
export class Background implements AsyncDisposable {
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param what names the work in the log if it fails */
  run(what: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#logger.warn({ err: error }, `${what} failed`))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
