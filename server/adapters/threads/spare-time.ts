import { performance } from 'node:perf_hooks';

const WINDOW_MS = 20;

/** The milliseconds that an event loop has waited for events, and those that it has worked. */
interface LoopTime {
  idle: number;
  active: number;
}

/** Measures how much of its time the event loop of this thread waits for events, so that others may use its processor. */
export class SpareTime {
  readonly #read: () => LoopTime;
  #since: LoopTime;
  #share = 1;

  constructor(read: () => LoopTime = () => performance.eventLoopUtilization()) {
    this.#read = read;
    this.#since = read();
  }

  /** Share of the last 20 milliseconds or more. */
  get share(): number {
    const now = this.#read();
    const idle = now.idle - this.#since.idle;
    const all = idle + now.active - this.#since.active;
    if (all >= WINDOW_MS) {
      this.#share = idle / all;
      this.#since = now;
    }
    return this.#share;
  }
}
