/** Turns the first Ctrl-C into a signal to stop at the next whole step; the second one ends the process as usual. */
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
