import type { Collection } from 'mongodb';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../ports/rate-limiter.js';
import type { RateLimitDocument } from './collections.js';
import { compoundId } from './documents.js';
import { guarded, isDuplicateKey } from './errors.js';

const WINDOW_MS = 60_000;

/** A lost count lets one request more through: not worth the wait for a majority. */
const FAST = { writeConcern: { w: 1 } } as const;

/** Counts in the database, and so for all processes together; by the clock of the database, which they share. */
export class MongoRateLimiter implements RateLimiter {
  readonly #rateLimits: Collection<RateLimitDocument>;
  readonly #limits: Readonly<Record<RateLimitClass, number>>;

  /** @param limits requests a minute */
  constructor(rateLimits: Collection<RateLimitDocument>, limits: Readonly<Record<RateLimitClass, number>>) {
    this.#rateLimits = rateLimits;
    this.#limits = limits;
  }

  async consume(limitClass: RateLimitClass, organizationId: string, credentialId: string): Promise<RateLimitState> {
    const limit = this.#limits[limitClass];
    const { count, leftMs } = await guarded(() => this.#count(compoundId(limitClass, organizationId, credentialId)));
    return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetMs: Math.max(0, leftMs) };
  }

  async #count(_id: string): Promise<{ count: number; leftMs: number }> {
    const isOpen = { $gt: ['$endsAt', '$$NOW'] };
    const counted = [
      {
        $set: {
          count: { $cond: [isOpen, { $add: ['$count', 1] }, 1] },
          endsAt: { $cond: [isOpen, '$endsAt', { $add: ['$$NOW', WINDOW_MS] }] },
        },
      },
      { $set: { leftMs: { $subtract: ['$endsAt', '$$NOW'] } } },
    ];
    for (;;) {
      try {
        const options = { upsert: true, returnDocument: 'after', ...FAST } as const;
        const found = await this.#rateLimits.findOneAndUpdate({ _id }, counted, options);
        if (!found) throw new Error('the database gave back nothing of what it counted');
        const { count, leftMs } = found as RateLimitDocument & { leftMs: number };
        return { count, leftMs: Number(leftMs) };
      } catch (error) {
        // Another request opened the window in this moment.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }
}
