import type { ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { UnavailableError } from '../../errors.js';
import type { Operation } from '../contract/contract.js';

const MAX_EVENT_LOOP_DELAY_MS = 500;

/** Requests that are let in even when the process runs late: refusing the last few would stop it without relieving it. */
const ALWAYS_IN_FLIGHT = 8;

const RETRY_AFTER_SECONDS = 1;
const SAMPLE_MS = 1_000;

/** Turns requests away while too many are under way or the process cannot keep up. */
export class OverloadGuard {
  private inFlight = 0;

  /** @param eventLoopDelayMs how late the process is with its work */
  constructor(
    private readonly maxInFlight: number,
    private readonly eventLoopDelayMs: () => number,
  ) {}

  /**
   * Lets a request in and counts it until its answer is gone. Probes always pass.
   *
   * @throws {UnavailableError}
   */
  admit({ tags }: Pick<Operation, 'tags'>, response: ServerResponse): void {
    if (tags.includes('health')) return;
    if (this.inFlight >= this.maxInFlight || (this.inFlight >= ALWAYS_IN_FLIGHT && this.isLate())) {
      throw new UnavailableError('The service has more work than it can do: try again', RETRY_AFTER_SECONDS);
    }
    this.inFlight += 1;
    response.once('close', () => {
      this.inFlight -= 1;
    });
  }

  private isLate(): boolean {
    return this.eventLoopDelayMs() > MAX_EVENT_LOOP_DELAY_MS;
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
