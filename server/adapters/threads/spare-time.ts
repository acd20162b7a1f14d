import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const WINDOW_MS = 20;

/** Measures how much of its time the event loop of this thread waits for events, so that others may use its processor. */
export class SpareTime {
  #since: EventLoopUtilization = performance.eventLoopUtilization();
  #measuredAt = performance.now();
  #share = 1;

  /** Share of the last 20 milliseconds or more. */
  get share(): number {
    const now = performance.now();
    if (now - this.#measuredAt >= WINDOW_MS) {
      this.#share = 1 - performance.eventLoopUtilization(this.#since).utilization;
      this.#since = performance.eventLoopUtilization();
      this.#measuredAt = now;
    }
    return this.#share;
  }
}
