import { Binary, type Collection, type Document } from 'mongodb';
import type { MemoryDocument } from '../engine/collections.js';
import { isDuplicateKey } from '../engine/errors.js';
import { readOptions } from '../engine/read-options.js';

/** Organization of the canaries. No organization has this id, because organization ids are UUIDs. */
const CANARIES = 'canary';
/** Time after which a canary is removed. */
const KEPT_MS = 60 * 60 * 1_000;
/** More than the canaries that are kept. */
const MAX_FOUND = 1_000;

/** A search index with a vector field, and the field with the time of a change. */
export interface IndexedVector {
  name: string;
  path: string;
  dimensions: number;
  indexedAt: 'indexedAt' | 'indexedAtB';
  /** True if the index has reduced vectors, whose similarities are approximate. */
  isQuantized: boolean;
}

/** The search index of words. */
export interface IndexedWords {
  name: string;
  indexedAt: 'indexedAt';
}

export type CanaryIndex = IndexedVector | IndexedWords;

/**
 * Documents that are written from time to time, to find out which writes a search index includes. An index applies
 * writes in order. If it includes a canary, it includes all earlier writes.
 */
export class Canaries {
  readonly #memories: Collection<MemoryDocument>;

  constructor(memories: Collection<MemoryDocument>) {
    this.#memories = memories;
  }

  /** Writes the canary of an interval, unless another process has written it. */
  async write(at: Date, intervalMs: number, indexes: readonly CanaryIndex[]): Promise<void> {
    const vectors = indexes
      .filter((index) => 'path' in index)
      .map(({ path, dimensions }) => [path.split('.').at(-1), Binary.fromFloat32Array(unit(dimensions))]);
    const time = at.getTime();
    const document: MemoryDocument = {
      _id: `${CANARIES} ${Math.floor(time / intervalMs) * intervalMs}`,
      org: CANARIES,
      live: false,
      createdAt: time * 1_000,
      updatedAt: time * 1_000,
      subject: '',
      source: '',
      project: '',
      contentHash: '',
      wordsHash: '',
      content: '',
      metadata: '{}',
      facets: [],
      values: [],
      terms: [],
      times: [],
      words: 0,
      fingerprint: '',
      embedding: Object.fromEntries(vectors),
      indexedAt: at,
      indexedAtB: at,
    };
    try {
      await this.#memories.insertOne(document);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async removeOld(now: Date): Promise<void> {
    await this.#memories.deleteMany({ org: CANARIES, indexedAt: { $lt: new Date(now.getTime() - KEPT_MS) } });
  }

  /** Returns the time of the newest canary since a time that an index includes. */
  async newestIn(index: CanaryIndex, since: Date): Promise<Date | undefined> {
    const search = 'path' in index ? vectorSearch(index, since) : wordSearch(index, since);
    const pipeline = [...search, { $project: { at: `$${index.indexedAt}` } }];
    const options = { readConcern: { level: 'local' }, ...readOptions() } as const;
    const found = await this.#memories.aggregate<{ at: Date }>(pipeline, options).toArray();
    return found.reduce<Date | undefined>((newest, { at }) => (newest && newest >= at ? newest : at), undefined);
  }
}

function vectorSearch({ name, path, dimensions, indexedAt }: IndexedVector, since: Date): Document[] {
  const search = {
    index: name,
    path,
    queryVector: Binary.fromFloat32Array(unit(dimensions)),
    exact: true,
    limit: MAX_FOUND,
    filter: { org: CANARIES, [indexedAt]: { $gte: since } },
  };
  return [{ $vectorSearch: search }];
}

function wordSearch({ name, indexedAt }: IndexedWords, since: Date): Document[] {
  const filter = [{ equals: { path: 'org', value: CANARIES } }, { range: { path: indexedAt, gte: since } }];
  return [{ $search: { index: name, compound: { filter } } }, { $limit: MAX_FOUND }];
}

function unit(dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[0] = 1;
  return vector;
}
