import { judgeRequest, PERSON_FACTOR } from '../../../domain/fairness/person-share.js';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../../ports/rate-limiter.js';
import { compoundId } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';
import { LocalWindows } from './local-windows.js';
import type { RateWindows } from './rate-windows.js';

const WINDOW_MS = 60_000;
const FLUSH_DELAY_MS = 1_000;

/** Classes of which every request is counted in the database. Nobody may try a password more often by using two servers. */
const EXACT: ReadonlySet<RateLimitClass> = new Set(['signIn', 'signInAddress', 'signInAccount']);

/** A process keeps at most the limit divided by this of the requests of a window to itself. */
const UNWRITTEN_PART = 30;
/** Every request is counted in the database from the limit divided by this on. */
const LOCAL_PART = 2;

/**
 * Counts in the database, for all processes together. Far from the limit a process counts by itself and writes its
 * counts once a second, so that a request does not wait for a write.
 *
 * With the limit L, a process knows alone of at most L/30 requests of a window, so P processes together allow at most
 * P·L/30 requests more than L. They refuse none within L.
 */
export class MongoRateLimiter implements RateLimiter {
  readonly #windows: RateWindows;
  readonly #limits: Readonly<Record<RateLimitClass, number>>;
  readonly #nowMs: () => number;
  readonly #local: LocalWindows;
  #timer: NodeJS.Timeout | undefined;

  /** @param limits requests per minute */
  constructor(
    windows: RateWindows,
    limits: Readonly<Record<RateLimitClass, number>>,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#windows = windows;
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#local = new LocalWindows(nowMs);
  }

  async consume(
    limitClass: RateLimitClass,
    organizationId: string,
    credentialId: string,
    userId?: string,
  ): Promise<RateLimitState> {
    const limit = this.#limits[limitClass];
    const who = userId === undefined ? [credentialId] : ['person', userId];
    const _id = compoundId(limitClass, organizationId, ...who);
    const isOfPerson = userId !== undefined;
    const counted =
      (EXACT.has(limitClass) ? undefined : this.#countHere(_id, credentialId, limit)) ??
      (await guarded(() => this.#countThere(_id, credentialId, { limit, isOfPerson })));
    const { own, count, leftMs } = counted;
    // A request that reads the clock and then waits may see a window that opened after its own time.
    const resetMs = Math.min(Math.max(0, leftMs), WINDOW_MS);
    return { ...judgeRequest({ limit, own, ofPerson: isOfPerson ? count : undefined }), resetMs };
  }

  /** Writes the requests that only this process knows of. If that fails, the next request of each caller is written. */
  async flush(): Promise<void> {
    this.stop();
    const taken = this.#local.takeAll();
    if (taken.length === 0) return;
    const sentMs = this.#nowMs();
    try {
      this.#local.written(taken, await guarded(() => this.#windows.add(taken)), sentMs);
    } catch (error) {
      // Some may be written, and counting them again could refuse a caller within its limit.
      this.#local.lost(taken);
      throw error;
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #countHere(_id: string, credentialId: string, limit: number) {
    const own = Math.floor(limit / LOCAL_PART);
    const unwritten = Math.floor(limit / UNWRITTEN_PART);
    const counted = this.#local.count(_id, credentialId, { unwritten, own, ofPerson: own * PERSON_FACTOR });
    if (counted) this.#flushSoon();
    return counted;
  }

  async #countThere(
    _id: string,
    credentialId: string,
    { limit, isOfPerson }: { limit: number; isOfPerson: boolean },
  ): Promise<{ own: number; count: number; leftMs: number }> {
    const sentMs = this.#nowMs();
    const ofCredential = isOfPerson ? credentialId : undefined;
    const earlier = this.#local.takeOwn(_id, credentialId);
    const request = { _id, credentialId: ofCredential, limit, ...earlier };
    const window = await this.#windows.count(request).catch((error: unknown) => {
      // Without the window, no request is counted here until one is counted there.
      this.#local.lost([request]);
      throw error;
    });
    this.#local.learn(window, isOfPerson, sentMs);
    this.#flushSoon();
    const own = isOfPerson ? (window.by?.[credentialId] ?? 0) : window.count;
    return { own, count: window.count, leftMs: Number(window.leftMs) };
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // After a failure the next request of each caller is written, and reports what is wrong.
      const again = () => {
        if (!this.#local.isEmpty) this.#flushSoon();
      };
      this.flush().then(again, again);
    }, FLUSH_DELAY_MS).unref();
  }
}
