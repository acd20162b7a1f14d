import type { Collection, Document } from 'mongodb';
import { judgeRequest } from '../../../domain/fairness/person-share.js';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../../ports/rate-limiter.js';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import type { RateLimitDocument } from '../engine/collections.js';
import { compoundId } from '../engine/documents.js';
import { guarded, isDuplicateKey } from '../engine/errors.js';

const WINDOW_MS = 60_000;
/** Attempts to count a request. If requests open a window at once, all but one retry. */
const MAX_ATTEMPTS = 5;

/** Write options that do not wait for a majority: a lost count only allows one extra request. */
const FAST = { writeConcern: { w: 1 } } as const;

const IS_OPEN = { $gt: ['$endsAt', '$$NOW'] };

type Counted = RateLimitDocument & { leftMs: number };

/** Counts in the database, for all processes together, by the clock of the database. */
export class MongoRateLimiter implements RateLimiter {
  readonly #rateLimits: Collection<RateLimitDocument>;
  readonly #limits: Readonly<Record<RateLimitClass, number>>;

  /** @param limits requests per minute */
  constructor(rateLimits: Collection<RateLimitDocument>, limits: Readonly<Record<RateLimitClass, number>>) {
    this.#rateLimits = rateLimits;
    this.#limits = limits;
  }

  async consume(
    limitClass: RateLimitClass,
    organizationId: string,
    credentialId: string,
    userId?: string,
  ): Promise<RateLimitState> {
    const limit = this.#limits[limitClass];
    const counted = await guarded(() =>
      userId === undefined
        ? this.#count(compoundId(limitClass, organizationId, credentialId), {
            $add: [{ $cond: [IS_OPEN, '$count', 0] }, 1],
          })
        : this.#countOfPerson(compoundId(limitClass, organizationId, 'person', userId), credentialId, limit),
    );
    // A request that reads the clock and then waits may see a window that opened after its own time.
    const resetMs = Math.min(Math.max(0, Number(counted.leftMs)), WINDOW_MS);
    if (userId === undefined) return { ...judgeRequest({ limit, own: counted.count, ofPerson: undefined }), resetMs };
    const own = counted.by?.[credentialId] ?? 0;
    return { ...judgeRequest({ limit, own, ofPerson: counted.count }), resetMs };
  }

  /** Counts for a credential and, within its limit, for its person, in one command. */
  #countOfPerson(_id: string, credentialId: string, limit: number): Promise<Counted> {
    const field = `by.${credentialId}`;
    const isWithin = { $lte: [`$${field}`, limit] };
    return this.#count(
      _id,
      { $add: [{ $cond: [IS_OPEN, '$count', 0] }, { $cond: [isWithin, 1, 0] }] },
      { $set: { by: { $cond: [IS_OPEN, '$by', {}] } } },
      { $set: { [field]: { $add: [{ $ifNull: [`$${field}`, 0] }, 1] } } },
    );
  }

  async #count(_id: string, count: Document, ...before: Document[]): Promise<Counted> {
    const counted = [
      ...before,
      // One stage, since both fields depend on the stored end of the window.
      { $set: { count, endsAt: { $cond: [IS_OPEN, '$endsAt', { $add: ['$$NOW', WINDOW_MS] }] } } },
      { $set: { leftMs: { $subtract: ['$endsAt', '$$NOW'] } } },
    ];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#update(_id, counted);
      if (found) return found;
    }
    throw new StoreUnavailableError('The store is unavailable: a request could not be counted');
  }

  /** Returns null if another request opened the window at the same time. */
  async #update(_id: string, counted: Document[]): Promise<Counted | null> {
    try {
      const options = { upsert: true, returnDocument: 'after', ...FAST } as const;
      return (await this.#rateLimits.findOneAndUpdate({ _id }, counted, options)) as Counted | null;
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }
}
