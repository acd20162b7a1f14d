import type { Collection, Document } from 'mongodb';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import type { RateLimitDocument } from '../engine/collections.js';
import { isDuplicateKey } from '../engine/errors.js';

const WINDOW_MS = 60_000;
/** Attempts to count a request. If requests open a window at once, all but one retry. */
const MAX_ATTEMPTS = 5;

/** Write options that do not wait for a majority: a lost count only allows one extra request. */
const FAST = { writeConcern: { w: 1 } } as const;

const IS_OPEN = { $gt: ['$endsAt', '$$NOW'] };

/** The counts of a window. `by` has those of each credential, if all credentials of a person share the window. */
export type RateWindow = Pick<RateLimitDocument, '_id' | 'count' | 'by' | 'endsAt'>;
export type OpenWindow = RateWindow & { leftMs: number };

/** One request, and earlier ones of its credential that are only counted in this process. */
export interface CountedRequest {
  _id: string;
  /** Undefined if the window is that of one credential. */
  credentialId: string | undefined;
  /** Limit of the credential. */
  limit: number;
  /** Number of the earlier requests, and the end of their window. */
  earlier: number;
  endsAt: Date | undefined;
}

/** Requests of one window that are only counted in this process. */
export interface EarlierRequests {
  _id: string;
  endsAt: Date;
  count: number;
  /** The requests by credential. Undefined if the window is that of one credential. */
  by: ReadonlyMap<string, number> | undefined;
}

/** The windows that all processes share. */
export interface RateWindows {
  /** Counts a request in the open window, or opens one. Earlier requests only count in their own window. */
  count(request: CountedRequest): Promise<OpenWindow>;
  /** Counts requests in their windows, unless these have ended. Returns the windows with their counts. */
  add(requests: readonly EarlierRequests[]): Promise<RateWindow[]>;
}

/** Windows in the database, by the clock of the database. */
export class MongoRateWindows implements RateWindows {
  readonly #rateLimits: Collection<RateLimitDocument>;

  constructor(rateLimits: Collection<RateLimitDocument>) {
    this.#rateLimits = rateLimits;
  }

  async count({ _id, credentialId, limit, earlier, endsAt }: CountedRequest): Promise<OpenWindow> {
    const isSame = { $and: [IS_OPEN, { $eq: ['$endsAt', endsAt ?? null] }] };
    const added = earlier === 0 ? 1 : { $cond: [isSame, earlier + 1, 1] };
    const counted = credentialId === undefined ? [] : countOfCredential(credentialId, added);
    const within = credentialId === undefined ? added : withinLimit(credentialId, added, limit);
    const pipeline = [
      ...counted,
      // One stage, since both fields depend on the stored end of the window.
      {
        $set: {
          count: { $add: [{ $cond: [IS_OPEN, '$count', 0] }, within] },
          endsAt: { $cond: [IS_OPEN, '$endsAt', { $add: ['$$NOW', WINDOW_MS] }] },
        },
      },
      { $set: { leftMs: { $subtract: ['$endsAt', '$$NOW'] } } },
    ];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#update(_id, pipeline);
      if (found) return found;
    }
    throw new StoreUnavailableError('The store is unavailable: a request could not be counted');
  }

  async add(requests: readonly EarlierRequests[]): Promise<RateWindow[]> {
    const updates = requests.map(({ _id, endsAt, count, by = [] }) => {
      const ofCredentials = Array.from(by, ([credentialId, own]) => [`by.${credentialId}`, own] as const);
      const update = { $inc: { count, ...Object.fromEntries(ofCredentials) } };
      return { updateOne: { filter: { _id, endsAt }, update } };
    });
    await this.#rateLimits.bulkWrite(updates, { ordered: false, ...FAST });
    const ids = { _id: { $in: requests.map(({ _id }) => _id) } };
    // Other read concerns may not see the writes.
    const options = { readConcern: { level: 'local' }, batchSize: requests.length + 1 } as const;
    return this.#rateLimits.find(ids, options).toArray();
  }

  /** Returns null if another request opened the window at the same time. */
  async #update(_id: string, pipeline: Document[]): Promise<OpenWindow | null> {
    try {
      const options = { upsert: true, returnDocument: 'after', ...FAST } as const;
      return (await this.#rateLimits.findOneAndUpdate({ _id }, pipeline, options)) as OpenWindow | null;
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }
}

function countOfCredential(credentialId: string, added: Document | number): Document[] {
  const field = `by.${credentialId}`;
  return [
    { $set: { by: { $cond: [IS_OPEN, '$by', {}] } } },
    { $set: { [field]: { $add: [{ $ifNull: [`$${field}`, 0] }, added] } } },
  ];
}

/** Computes how many of the added requests were within the limit of their credential, and count for its person. */
function withinLimit(credentialId: string, added: Document | number, limit: number): Document {
  const after = `$by.${credentialId}`;
  const before = { $subtract: [after, added] };
  return { $subtract: [{ $min: [after, limit] }, { $min: [before, limit] }] };
}
