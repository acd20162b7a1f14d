import type { Collection, Document } from 'mongodb';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../../ports/rate-limiter.js';
import { StoreUnavailableError } from '../../../ports/store.js';
import type { RateLimitDocument } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import { guarded, isDuplicateKey } from '../engine/errors.js';

const WINDOW_MS = 60_000;
/** Of requests that open a window together, all but one count again. */
const ATTEMPTS = 5;

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
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const found = await this.#update(_id, counted);
      if (found) return { count: found.count, leftMs: Number(found.leftMs) };
    }
    throw new StoreUnavailableError('The store is unavailable: a request could not be counted');
  }

  /** Null where another request opened the window in this moment. */
  async #update(_id: string, counted: Document[]): Promise<(RateLimitDocument & { leftMs: number }) | null> {
    try {
      const options = { upsert: true, returnDocument: 'after', ...FAST } as const;
      return (await this.#rateLimits.findOneAndUpdate({ _id }, counted, options)) as
        | (RateLimitDocument & { leftMs: number })
        | null;
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }
}
