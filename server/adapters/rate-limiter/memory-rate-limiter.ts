import { judgeRequest } from '../../domain/fairness/person-share.js';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../ports/rate-limiter.js';

const WINDOW_MS = 60_000;

interface Window {
  /** Milliseconds of the process clock. */
  endsAt: number;
  /** Requests that were within the limits of their credentials. */
  count: number;
  /** Requests by credential. */
  readonly by: Map<string, number>;
}

/** Counts in this process, for a store that only one process uses. */
export class MemoryRateLimiter implements RateLimiter {
  /** Windows in the order of their ends, since all have the same length. */
  readonly #windows = new Map<string, Window>();
  readonly #limits: Readonly<Record<RateLimitClass, number>>;

  /** @param limits requests per minute */
  constructor(limits: Readonly<Record<RateLimitClass, number>>) {
    this.#limits = limits;
  }

  async consume(
    limitClass: RateLimitClass,
    organizationId: string,
    credentialId: string,
    userId?: string,
  ): Promise<RateLimitState> {
    const now = performance.now();
    this.#forgetEnded(now);
    const limit = this.#limits[limitClass];
    const ofWhom = userId === undefined ? `credential:${credentialId}` : `person:${userId}`;
    const window = this.#windowOf(`${limitClass}:${organizationId}:${ofWhom}`, now);
    const own = (window.by.get(credentialId) ?? 0) + 1;
    window.by.set(credentialId, own);
    if (own <= limit) window.count += 1;
    const ofPerson = userId === undefined ? undefined : window.count;
    return { resetMs: window.endsAt - now, ...judgeRequest({ limit, own, ofPerson }) };
  }

  #windowOf(key: string, now: number): Window {
    const open = this.#windows.get(key);
    if (open) return open;
    const opened = { endsAt: now + WINDOW_MS, count: 0, by: new Map<string, number>() };
    this.#windows.set(key, opened);
    return opened;
  }

  #forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.delete(key);
    }
  }
}
