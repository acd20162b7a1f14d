import { monitorEventLoopDelay } from 'node:perf_hooks';
import { UnavailableError } from '../../errors.js';

const MAX_EVENT_LOOP_DELAY_MS = 500;

/** Requests that are let in even when the process runs late: refusing the last few would stop it without relieving it. */
const ALWAYS_IN_FLIGHT = 8;

const RETRY_AFTER_SECONDS = 1;
const SAMPLE_MS = 1_000;

/** Turns requests away while the process cannot keep up. */
export class OverloadGuard {
  /** @param eventLoopDelayMs how late the process is with its work */
  constructor(private readonly eventLoopDelayMs: () => number) {}

  /** @throws {UnavailableError} */
  assertInTime(requestsUnderWay: number): void {
    if (requestsUnderWay < ALWAYS_IN_FLIGHT || this.eventLoopDelayMs() <= MAX_EVENT_LOOP_DELAY_MS) return;
    const message = `The service already has ${requestsUnderWay} requests under way and runs late: try again`;
    throw new UnavailableError(message, RETRY_AFTER_SECONDS);
  }
}

/** Measures how late the event loop runs: the 99th percentile, in milliseconds, renewed each second that it is asked. */
export function measureEventLoopDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: 20 });
  histogram.enable();
  let delayMs = 0;
  let sampledAt = performance.now();
  return () => {
    if (performance.now() - sampledAt < SAMPLE_MS) return delayMs;
    delayMs = histogram.percentile(99) / 1e6;
    histogram.reset();
    sampledAt = performance.now();
    return delayMs;
  };
}
