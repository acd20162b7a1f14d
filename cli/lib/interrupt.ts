/** Turns the first Ctrl-C into a signal to stop after the current step. The second one ends the process. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #stop = (): void => this.#controller.abort();

  constructor() {
    process.once('SIGINT', this.#stop);
    process.once('SIGTERM', this.#stop);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#stop);
    process.off('SIGTERM', this.#stop);
  }
}
