import { MemoryTimeoutError } from '../errors.js';

/** Aborts at the caller's signal or after a time, whichever comes first. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #caller: AbortSignal | undefined;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new MemoryTimeoutError(`no complete response within ${timeoutMs} ms`));
    }, timeoutMs);
    caller?.addEventListener('abort', this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Releases the timer and the listener. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#stop);
  }

  readonly #stop = (): void => this.#controller.abort(this.#caller?.reason);
}
