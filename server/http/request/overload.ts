import { monitorEventLoopDelay } from 'node:perf_hooks';
import { nameOwner } from '../../domain/fairness/bounds.js';
import type { Owner } from '../../domain/fairness/owner.js';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import { UnavailableError } from '../../errors.js';

const MAX_EVENT_LOOP_DELAY_MS = 500;

/** Requests in flight that every caller may have even if the event loop is late. So few do not make it late. */
const ALWAYS_IN_FLIGHT = 8;

const RETRY_AFTER_SECONDS = 1;
const SAMPLE_MS = 1_000;

/** Rejects requests while the event loop is late: those of the callers with the most requests in flight. */
export class OverloadGuard {
  /** @param eventLoopDelayMs returns how late the event loop is */
  constructor(private readonly eventLoopDelayMs: () => number) {}

  /** @throws {UnavailableError} for an owner with many requests, and at least as many as others have on average */
  assertInTime(requests: SharedResource, owner: Owner): void {
    const underWay = requests.inUseOf(owner);
    if (underWay < ALWAYS_IN_FLIGHT || this.eventLoopDelayMs() <= MAX_EVENT_LOOP_DELAY_MS) return;
    if (!requests.isAmongLargest(owner)) return;
    const message = `${nameOwner(owner.kind)} ${underWay} requests under way, and the service is overloaded: try again`;
    throw new UnavailableError(message, RETRY_AFTER_SECONDS);
  }
}

/** Returns the 99th percentile of the event loop delay in milliseconds, updated at most once a second. */
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
