import { BSON, type Document } from 'mongodb';
import type { FaultProxy } from './fault-proxy.js';

/** Makes the vector search behind a proxy include writes late, or not at all, as a real search index does. */
export class SearchLag {
  /** Changes after this time are not in the index. */
  #includedUntil = Number.POSITIVE_INFINITY;
  #isDropped = false;
  #isQueryable = true;
  #isCoarse = false;

  constructor(proxy: FaultProxy) {
    proxy.intercept = ({ pipeline, ...command }) => {
      const [first, ...rest] = pipeline ?? [];
      if (first?.$listSearchIndexes && (this.#isDropped || !this.#isQueryable)) {
        return this.#isDropped ? { reply: NOTHING } : undefined;
      }
      if (!first?.$vectorSearch) return undefined;
      if (!this.#isQueryable) return { reply: NOT_QUERYABLE };
      const following = this.#isCoarse ? rest.map(coarse) : rest;
      return { command: { ...command, pipeline: [{ $vectorSearch: this.#seen(first.$vectorSearch) }, ...following] } };
    };
  }

  /** The index includes the changes until a time, and no later ones. It never forgets a change. */
  includeUntil(time: Date): void {
    const before = Number.isFinite(this.#includedUntil) ? this.#includedUntil : 0;
    this.#includedUntil = Math.max(before, time.getTime());
  }

  /** Removes the index: searches find nothing, without an error. */
  drop(): void {
    this.#isDropped = true;
  }

  /** Builds the index again. */
  restore(): void {
    this.#isDropped = false;
    this.#isQueryable = true;
  }

  /** Makes searches fail, as while the first build of an index is running. */
  refuse(): void {
    this.#isQueryable = false;
  }

  /** Rounds the scores, as an index of reduced vectors does. */
  coarsen(): void {
    this.#isCoarse = true;
  }

  #seen(search: Document): Document {
    const indexedAt = /b$/.test(String(search.path)) ? 'indexedAtB' : 'indexedAt';
    const until = this.#isDropped ? 0 : this.#includedUntil;
    if (!Number.isFinite(until)) return search;
    return { ...search, filter: { $and: [search.filter, { [indexedAt]: { $lte: new Date(until) } }] } };
  }
}

/** Rounds the score in a projection down to an eighth. */
function coarse({ $project, ...stage }: Document): Document {
  if (!$project?.score) return { ...stage, ...($project && { $project }) };
  const score = { $divide: [{ $floor: { $multiply: [$project.score, 8] } }, 8] };
  return { $project: { ...$project, score } };
}

const NOTHING = { ok: 1, cursor: { id: BSON.Long.ZERO, ns: 'memories', firstBatch: [] } };
const NOT_QUERYABLE = {
  ok: 0,
  code: 8,
  codeName: 'UnknownError',
  errmsg: 'cannot query vector index while in state INITIAL_SYNC',
};
