import { monitorEventLoopDelay } from 'node:perf_hooks';
import { nameOwner } from '../../../domain/fairness/bounds.js';
import { keyOf, type Owner } from '../../../domain/fairness/owner.js';
import type { SharedResource } from '../../../domain/fairness/shared-resource.js';
import { UnavailableError } from '../../../errors.js';

const MAX_EVENT_LOOP_DELAY_MS = 500;

/** Requests in flight that every caller may have even if the event loop is late. So few do not make it late. */
const ALWAYS_IN_FLIGHT = 8;

/** Time after its last request for which an owner counts as present. */
const PRESENT_MS = 10_000;

const RETRY_AFTER_SECONDS = 1;
const SAMPLE_MS = 1_000;

interface Seen {
  key: string;
  /** Time of the owner's last request. */
  at: number;
}

/**
 * Rejects requests while the event loop is late: those of the callers with the most requests in flight. A caller that
 * is alone is not rejected, since this would help nobody: its requests wait, and its share bounds them.
 */
export class OverloadGuard {
  readonly #eventLoopDelayMs: () => number;
  readonly #now: () => number;
  #latest: Seen | undefined;
  /** The last owner before `#latest` that is another one. */
  #before: Seen | undefined;

  /** @param eventLoopDelayMs returns how late the event loop is */
  constructor(eventLoopDelayMs: () => number, now: () => number = () => performance.now()) {
    this.#eventLoopDelayMs = eventLoopDelayMs;
    this.#now = now;
  }

  /** @throws {UnavailableError} for an owner with many requests, and at least as many as others have on average */
  assertInTime(requests: SharedResource, owner: Owner): void {
    this.#see(owner);
    const underWay = requests.inUseOf(owner);
    if (underWay < ALWAYS_IN_FLIGHT || this.#eventLoopDelayMs() <= MAX_EVENT_LOOP_DELAY_MS) return;
    if (!this.#isAnotherPresent() || !requests.isAmongLargest(owner)) return;
    const message = `${nameOwner(owner.kind)} ${underWay} requests under way, and the service is overloaded: try again`;
    throw new UnavailableError(message, RETRY_AFTER_SECONDS);
  }

  #see(owner: Owner): void {
    const key = keyOf(owner);
    if (this.#latest?.key !== key) this.#before = this.#latest;
    this.#latest = { key, at: this.#now() };
  }

  /** Reports if another owner than the latest has sent a request within `PRESENT_MS`. */
  #isAnotherPresent(): boolean {
    return this.#before !== undefined && this.#now() - this.#before.at <= PRESENT_MS;
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
