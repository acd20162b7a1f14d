import { BSON, type Document } from 'mongodb';
import type { Microseconds } from '../../domain/timestamp.js';
import type { FaultProxy } from './fault-proxy.js';

/** Makes the searches behind a proxy include writes late, or not at all, as a real search index does. */
export class SearchLag {
  /** Changes after this time are not in the index. */
  #includedUntil = Number.POSITIVE_INFINITY;
  #isDropped = false;
  #isQueryable = true;
  #isCoarse = false;
  /** Walks of the graph reach only memories created before this time, in microseconds. */
  #linkedBefore = Number.POSITIVE_INFINITY;

  constructor(proxy: FaultProxy) {
    proxy.intercept = (command) => this.#treated(command);
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

  /** Makes walks of the graph miss the memories created since a time, as a graph does whose links do not reach all. */
  unlinkSince(createdAt: Microseconds): void {
    this.#linkedBefore = createdAt;
  }

  #treated({ pipeline = [], ...command }: Document): ReturnType<NonNullable<FaultProxy['intercept']>> {
    const [first, ...rest] = pipeline;
    if (first?.$listSearchIndexes) return this.#isDropped ? { reply: NOTHING } : undefined;
    const isOfText = isTextSearch(pipeline);
    if (!isOfText && !first?.$vectorSearch) return undefined;
    if (!this.#isQueryable) return { reply: NOT_QUERYABLE };
    if (isOfText) return { command: { ...command, pipeline: this.#seenByText(pipeline) } };
    const following = this.#isCoarse ? rest.map(coarse) : rest;
    return { command: { ...command, pipeline: [{ $vectorSearch: this.#seen(first.$vectorSearch) }, ...following] } };
  }

  /** Hides late changes from the stages of Atlas Search, also from those in unions. */
  #seenByText(pipeline: readonly Document[]): Document[] {
    return pipeline.map((stage) => {
      const { $search, $searchMeta, $unionWith } = stage;
      if ($search) return { $search: this.#seenByCompound($search) };
      if ($searchMeta) return { $searchMeta: this.#seenByCompound($searchMeta) };
      if (!$unionWith) return stage;
      return { $unionWith: { ...$unionWith, pipeline: this.#seenByText($unionWith.pipeline) } };
    });
  }

  #seenByCompound({ compound, ...search }: Document): Document {
    if (!Number.isFinite(this.#until)) return { compound, ...search };
    const included = { range: { path: 'indexedAt', lte: new Date(this.#until) } };
    return { ...search, compound: { ...compound, filter: [...compound.filter, included] } };
  }

  get #until(): number {
    return this.#isDropped ? 0 : this.#includedUntil;
  }

  #seen(search: Document): Document {
    const indexedAt = /b$/.test(String(search.path)) ? 'indexedAtB' : 'indexedAt';
    const until = this.#until;
    const isWalk = !search.exact?.valueOf();
    const hidden: Document[] = [];
    if (Number.isFinite(until)) hidden.push({ [indexedAt]: { $lte: new Date(until) } });
    if (isWalk && Number.isFinite(this.#linkedBefore)) hidden.push({ createdAt: { $lt: this.#linkedBefore } });
    return hidden.length === 0 ? search : { ...search, filter: { $and: [search.filter, ...hidden] } };
  }
}

/** Reports if a pipeline has a stage of Atlas Search, also in a union. */
function isTextSearch(pipeline: readonly Document[]): boolean {
  return pipeline.some(
    ({ $search, $searchMeta, $unionWith }) => $search || $searchMeta || isTextSearch($unionWith?.pipeline ?? []),
  );
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
