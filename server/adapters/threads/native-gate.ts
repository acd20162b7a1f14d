const [CALLS, IS_CLOSED] = [0, 1];

/**
 * Holds back the native calls of a thread that is about to be ended. If a thread is ended within a native call, the module
 * cannot report the failure, and aborts the process. The gate is in memory that both threads share.
 */
export class NativeGate {
  readonly #cells: Int32Array<SharedArrayBuffer>;

  /** @param buffer of `newBuffer` */
  constructor(buffer: SharedArrayBuffer) {
    this.#cells = new Int32Array(buffer);
  }

  /** Returns the memory of the gate of a new thread. Its start counts as a call, since it loads native modules. */
  static newBuffer(): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
    new NativeGate(buffer).enter();
    return buffer;
  }

  /** True if the thread is within a call. */
  get isInUse(): boolean {
    return this.#calls > 0;
  }

  /** Begins a call. If the gate is closed, never returns: the thread waits for its end. */
  enter(): void {
    Atomics.add(this.#cells, CALLS, 1);
    if (Atomics.load(this.#cells, IS_CLOSED) === 0) return;
    this.leave();
    for (;;) Atomics.wait(this.#cells, IS_CLOSED, 1);
  }

  /** Ends a call. */
  leave(): void {
    Atomics.sub(this.#cells, CALLS, 1);
    if (Atomics.load(this.#cells, IS_CLOSED) === 1) Atomics.notify(this.#cells, CALLS);
  }

  /** Prevents further calls. */
  close(): void {
    Atomics.store(this.#cells, IS_CLOSED, 1);
  }

  /** Blocks this thread until the other one is in no call, or until a time of `performance.now()`. */
  awaitCalls(end: number): void {
    for (let calls = this.#calls; calls > 0 && performance.now() < end; calls = this.#calls) {
      Atomics.wait(this.#cells, CALLS, calls, end - performance.now());
    }
  }

  get #calls(): number {
    return Atomics.load(this.#cells, CALLS);
  }
}
