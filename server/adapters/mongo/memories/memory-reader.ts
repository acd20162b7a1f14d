import type { FindOptions, Filter as MongoFilter } from 'mongodb';
import type { DocumentName } from '../../../domain/documents/document.js';
import { sharedResource } from '../../../domain/fairness/bounds.js';
import type { Lease, SharedResource } from '../../../domain/fairness/shared-resource.js';
import { type Filter, isEmptyFilter } from '../../../domain/filter/filter.js';
import { subjectText } from '../../../domain/filter/memory-facets.js';
import { hasTombstones, withTombstones } from '../../../domain/filter/tombstone.js';
import type { Memory } from '../../../domain/memory/memory.js';
import { memoryBytes } from '../../../domain/memory/page-bytes.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type {
  Histogram,
  HistogramQuery,
  KeywordMatches,
  KeywordQuery,
  ListedMemory,
  ListQuery,
  Match,
  MemoryReader,
  ReadScope,
  Stats,
  StatsQuery,
  UnembeddedPage,
  VectorQuery,
} from '../../../ports/memory-reader.js';
import type { ExpectedWrite } from '../../../ports/unit-of-work.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import { scopeFilter } from '../engine/filters.js';
import {
  documentIdsOf,
  idOf,
  MEMORY_FIELDS,
  type MemoryFields,
  previewFields,
  toMemory,
} from '../engine/memory-documents.js';
import { limitedTo } from '../engine/paging.js';
import { readOptions } from '../engine/read-options.js';
import type { Transactions } from '../engine/transactions.js';
import { otherSlot, SLOTS, searchedSlot, vectorIn } from '../engine/vectors.js';
import { KeywordSearch, type KeywordSettings } from '../keywords/keyword-search.js';
import { NearestSearch, type VectorSettings } from '../vector-index/nearest.js';
import { countByDocument } from './count-by-document.js';
import { activeWithContents } from './expected-memories.js';
import { areCounted, readFacetCounts } from './facet-counts.js';
import { readHistogram } from './histogram.js';
import { listQuery } from './list-query.js';
import { readStats } from './stats.js';
import { listTombstones } from './tombstones.js';

/** Reads memories, as confirmed by a majority. Reads with several queries see one snapshot. */
export class MongoMemoryReader implements MemoryReader {
  readonly #collections: Collections;
  readonly #transactions: Transactions;
  readonly #nearest: NearestSearch;
  readonly #keywords: KeywordSearch;
  readonly #reads: SharedResource;

  /** @param readsInUse maximum number of searches and statistics that run at a time */
  constructor(
    collections: Collections,
    transactions: Transactions,
    { vectors, keywords, readsInUse }: { vectors: VectorSettings; keywords: KeywordSettings; readsInUse: number },
  ) {
    this.#keywords = new KeywordSearch(collections, keywords);
    this.#reads = sharedResource('databaseReads', readsInUse);
    this.#collections = collections;
    this.#transactions = transactions;
    this.#nearest = new NearestSearch(collections, vectors);
  }

  /** The resources that the reads of all organizations share. */
  get sharedResources(): readonly SharedResource[] {
    return [this.#reads];
  }

  async findById(organizationId: string, id: string): Promise<Memory | undefined> {
    const scoped = { org: organizationId, _id: { $in: documentIdsOf(organizationId, id) } };
    const options = { projection: MEMORY_FIELDS };
    const document = await guarded(() => this.#collections.memories.findOne<MemoryFields>(scoped, options));
    return document ? toMemory(organizationId, document) : undefined;
  }

  async areStored(organizationId: string, ids: readonly string[]): Promise<boolean[]> {
    if (ids.length === 0) return [];
    const named = { org: organizationId, _id: { $in: ids.flatMap((id) => documentIdsOf(organizationId, id)) } };
    const options = { projection: { _id: 1 }, batchSize: ids.length + 1 } as const;
    const found = await guarded(() => this.#collections.memories.find(named, options).toArray());
    const stored = new Set(found.map(({ _id }) => idOf(_id)));
    return ids.map((id) => stored.has(id));
  }

  async areActive(
    organizationId: string,
    contents: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
  ): Promise<boolean[]> {
    if (contents.length === 0) return [];
    const filter = { org: organizationId, ...activeWithContents(contents) };
    const options = { projection: { _id: 0, subject: 1, contentHash: 1 }, batchSize: contents.length + 1 } as const;
    const found = await guarded(() => this.#collections.memories.find(filter, options).toArray());
    const active = new Set(found.map(({ subject, contentHash }) => JSON.stringify([subject, contentHash])));
    return contents.map(({ subjectKey, contentHash }) =>
      active.has(JSON.stringify([subjectText(subjectKey), contentHash])),
    );
  }

  async list(organizationId: string, query: ListQuery, signal?: AbortSignal): Promise<ListedMemory[]> {
    if (!hasTombstones(query)) {
      return guarded(async () => (await this.#list(organizationId, query, readOptions(signal))).memories);
    }
    return this.#transactions.read(async (session) => {
      const options = { session, ...readOptions(signal) };
      const tombstones = await listTombstones(this.#collections, organizationId, query, session);
      return withTombstones(await this.#list(organizationId, query, options), tombstones, query.limit);
    });
  }

  async findMatching(organizationId: string, filter: Filter, limit: number): Promise<{ ids: string[]; count: number }> {
    const { memories } = this.#collections;
    const scope = scopeFilter(organizationId, { filter, includeDeleted: false });
    return this.#transactions.read(async (session) => {
      const count = await memories.countDocuments(scope, { session, ...readOptions() });
      const options = { session, sort: { createdAt: 1, _id: 1 }, ...limitedTo(limit), projection: { _id: 1 } } as const;
      const found = await memories.find(scope, options).toArray();
      return { ids: found.map(({ _id }) => idOf(_id)), count };
    });
  }

  async stats(organizationId: string, query: StatsQuery, signal?: AbortSignal): Promise<Stats> {
    using _ = await this.#turn(organizationId, signal);
    const { facets } = query;
    if (isEmptyFilter(query.filter) && areCounted(facets)) {
      const kept = { ...query, facets };
      const options = readOptions(signal);
      const stats = await guarded(() => readFacetCounts(this.#collections, organizationId, kept, options));
      if (stats) return stats;
    }
    return await this.#transactions.read((session) =>
      readStats(this.#collections, organizationId, query, { session, ...readOptions(signal) }),
    );
  }

  async histogram(organizationId: string, query: HistogramQuery, signal?: AbortSignal): Promise<Histogram> {
    using _ = await this.#turn(organizationId, signal);
    return await this.#transactions.read((session) =>
      readHistogram(this.#collections, organizationId, query, { session, ...readOptions(signal) }),
    );
  }

  async nearest(organizationId: string, query: VectorQuery, signal?: AbortSignal): Promise<Match[]> {
    using _ = await this.#turn(organizationId, signal);
    return await this.#nearest.run(organizationId, query, signal);
  }

  async findVectors(
    organizationId: string,
    ids: readonly string[],
    fingerprint: string,
  ): Promise<Map<string, Float32Array>> {
    const documentIds = ids.flatMap((id) => documentIdsOf(organizationId, id));
    const named = { org: organizationId, _id: { $in: documentIds } };
    const options = { projection: { embedding: 1 }, batchSize: ids.length + 1 } as const;
    const vectors = new Map<string, Float32Array>();
    for (const slot of SLOTS) {
      const filter = { ...named, [slot.fingerprint]: fingerprint };
      const found = await guarded(() =>
        this.#collections.memories.find<Pick<MemoryDocument, '_id' | 'embedding'>>(filter, options).toArray(),
      );
      for (const { _id, embedding } of found) {
        const vector = vectorIn(embedding, slot);
        if (vector) vectors.set(idOf(_id), vector);
      }
      if (vectors.size > 0) return vectors;
    }
    return vectors;
  }

  async matching(organizationId: string, query: KeywordQuery, signal?: AbortSignal): Promise<KeywordMatches> {
    using _ = await this.#turn(organizationId, signal);
    return await guarded(() => this.#keywords.run(organizationId, query, signal));
  }

  async countByDocument(
    organizationId: string,
    scope: ReadScope,
    documents: readonly DocumentName[],
    signal?: AbortSignal,
  ): Promise<number[]> {
    using _ = await this.#turn(organizationId, signal);
    return await guarded(() =>
      countByDocument(this.#collections.memories, organizationId, scope, documents, readOptions(signal)),
    );
  }

  async findDeleted(organizationId: string, before: Microseconds, limit: number): Promise<string[]> {
    // The last change of a deleted memory is its deletion or its import.
    const filter = { org: organizationId, live: false, updatedAt: { $lt: before } };
    const options = { sort: { updatedAt: 1 }, ...limitedTo(limit), projection: { _id: 1 } } as const;
    const documents = await guarded(() => this.#collections.memories.find(filter, options).toArray());
    return documents.map(({ _id }) => idOf(_id));
  }

  async findUnembedded(organizationId: string, limit: number, after?: Microseconds): Promise<UnembeddedPage> {
    const pending = await this.#pendingFilter(organizationId);
    if (!pending) return { memories: [], next: undefined };
    // Lists both states, so that an index has the order of creation, and a page need not sort all that are left.
    const filter = {
      ...pending,
      live: { $in: [true, false] },
      ...(after !== undefined && { createdAt: { $gt: after } }),
    };
    const options = { sort: { createdAt: 1 }, ...limitedTo(limit), projection: MEMORY_FIELDS } as const;
    const documents = await guarded(() => this.#collections.memories.find<MemoryFields>(filter, options).toArray());
    return {
      memories: documents.map((document) => toMemory(organizationId, document)),
      next: documents.at(-1)?.createdAt,
    };
  }

  async countUnembedded(organizationId: string): Promise<{ all: number; unembedded: number }> {
    const { memories, organizations } = this.#collections;
    const organization = await guarded(() => organizations.findOne({ _id: organizationId }));
    const all = organization ? organization.active + organization.deleted : 0;
    const pending = await this.#pendingFilter(organizationId);
    return { all, unembedded: pending ? await guarded(() => memories.countDocuments(pending, readOptions())) : 0 };
  }

  /** Returns the filter of memories without a vector of the pending embedder. Undefined if none is pending. */
  async #pendingFilter(organizationId: string): Promise<MongoFilter<MemoryDocument> | undefined> {
    const projection = { settings: 1, vectorSlot: 1 };
    const organization = await guarded(() =>
      this.#collections.organizations.findOne({ _id: organizationId }, { projection }),
    );
    const pending = organization?.settings.pendingFingerprint;
    if (!organization || pending === undefined) return undefined;
    return { org: organizationId, [otherSlot(searchedSlot(organization)).fingerprint]: { $ne: pending } };
  }

  /** @throws {ShareExceededError} when too many reads wait */
  #turn(organizationId: string, signal: AbortSignal | undefined): Promise<Lease> {
    return this.#reads.wait([{ kind: 'tenant', id: organizationId }], 1, signal);
  }

  async #list(
    organizationId: string,
    query: ListQuery,
    findOptions: FindOptions,
  ): Promise<{ memories: ListedMemory[]; isCut: boolean }> {
    const { filter, sort } = listQuery(organizationId, query);
    const projection = query.preview === undefined ? MEMORY_FIELDS : previewFields(query.preview);
    const options = { sort, ...limitedTo(query.limit), projection, ...findOptions };
    const memories: ListedMemory[] = [];
    let bytes = 0;
    for await (const document of this.#collections.memories.find<MemoryFields & { contentLength?: number }>(
      filter,
      options,
    )) {
      const { contentLength } = document;
      const memory = { ...toMemory(organizationId, document), ...(contentLength !== undefined && { contentLength }) };
      memories.push(memory);
      if (query.maxBytes === undefined) continue;
      bytes += memoryBytes(memory);
      if (memories.length > 1 && bytes > query.maxBytes) return { memories, isCut: true };
    }
    return { memories, isCut: false };
  }
}
