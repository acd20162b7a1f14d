import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const WINDOW_MS = 20;
/** Share of its time in which a busy event loop works. */
const BUSY = 0.5;

/** Reports if the event loop of this thread has waited for events lately, so that another thread may use its processor. */
export class SpareTime {
  #since: EventLoopUtilization = performance.eventLoopUtilization();
  #checkedAt = performance.now();
  #isLeft = true;

  get isLeft(): boolean {
    const now = performance.now();
    if (now - this.#checkedAt >= WINDOW_MS) {
      this.#isLeft = performance.eventLoopUtilization(this.#since).utilization < BUSY;
      this.#since = performance.eventLoopUtilization();
      this.#checkedAt = now;
    }
    return this.#isLeft;
  }
}
