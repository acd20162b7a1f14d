import type { ClientSession } from 'mongodb';
import type { Filter } from '../../../domain/memory/filter.js';
import type { Memory, SubjectKey } from '../../../domain/memory/memory.js';
import { subjectText } from '../../../domain/memory/memory-facets.js';
import { memoryBytes } from '../../../domain/memory/page-bytes.js';
import { hasTombstones, withTombstones } from '../../../domain/memory/tombstone.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type {
  ExpectedWrite,
  KeywordMatch,
  KeywordQuery,
  ListQuery,
  Match,
  MemoryReader,
  Stats,
  StatsQuery,
  VectorQuery,
} from '../../../ports/store.js';
import type { Collections } from '../engine/collections.js';
import { guarded } from '../engine/errors.js';
import { scopeFilter } from '../engine/filters.js';
import { MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import type { Transactions } from '../engine/transactions.js';
import { relevantTo } from '../keywords/keyword-search.js';
import { NearestSearch, type VectorSettings } from '../vector-index/nearest.js';
import { activeWithContents } from './expected-memories.js';
import { contentKey } from './known-memories.js';
import { listQuery } from './list-query.js';
import { readStats } from './stats.js';
import { listTombstones } from './tombstones.js';

/** Reads what a majority has; those that take more than one query see one moment. */
export class MongoMemoryReader implements MemoryReader {
  readonly #collections: Collections;
  readonly #transactions: Transactions;
  readonly #nearest: NearestSearch;

  constructor(collections: Collections, transactions: Transactions, vectors: VectorSettings) {
    this.#collections = collections;
    this.#transactions = transactions;
    this.#nearest = new NearestSearch(collections, vectors);
  }

  async findById(organizationId: string, id: string): Promise<Memory | undefined> {
    return this.#find(organizationId, { _id: id });
  }

  async findActiveByContent(
    organizationId: string,
    subjectKey: SubjectKey | undefined,
    contentHash: string,
  ): Promise<Memory | undefined> {
    return this.#find(organizationId, { subject: subjectText(subjectKey), contentHash, live: true });
  }

  async areActive(
    organizationId: string,
    contents: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
  ): Promise<boolean[]> {
    if (contents.length === 0) return [];
    const filter = { org: organizationId, ...activeWithContents(contents) };
    const options = { projection: { _id: 0, subject: 1, contentHash: 1 }, batchSize: contents.length + 1 } as const;
    const found = await guarded(() => this.#collections.memories.find(filter, options).toArray());
    const active = new Set(found.map(({ subject, contentHash }) => contentKey(subject, contentHash)));
    return contents.map(({ subjectKey, contentHash }) => active.has(contentKey(subjectText(subjectKey), contentHash)));
  }

  async list(organizationId: string, query: ListQuery): Promise<Memory[]> {
    if (!hasTombstones(query)) {
      return guarded(async () => (await this.#list(organizationId, query)).memories);
    }
    return this.#transactions.read(async (session) => {
      const tombstones = await listTombstones(this.#collections, organizationId, query, session);
      return withTombstones(await this.#list(organizationId, query, session), tombstones, query.limit);
    });
  }

  async findMatching(organizationId: string, filter: Filter, limit: number): Promise<{ ids: string[]; count: number }> {
    const { memories } = this.#collections;
    const scope = scopeFilter(organizationId, { filter, includeDeleted: false });
    return this.#transactions.read(async (session) => {
      const count = await memories.countDocuments(scope, { session });
      const options = { session, sort: { createdAt: 1, _id: 1 }, limit, projection: { _id: 1 } } as const;
      const found = await memories.find(scope, { ...options, batchSize: limit + 1 }).toArray();
      return { ids: found.map(({ _id }) => _id), count };
    });
  }

  async stats(organizationId: string, query: StatsQuery): Promise<Stats> {
    return this.#transactions.read((session) => readStats(this.#collections, organizationId, query, session));
  }

  async nearest(organizationId: string, query: VectorQuery): Promise<Match[]> {
    return this.#nearest.run(organizationId, query);
  }

  async matching(organizationId: string, query: KeywordQuery): Promise<KeywordMatch[]> {
    return guarded(() => relevantTo(this.#collections, organizationId, query));
  }

  async findDeleted(organizationId: string, before: Microseconds, limit: number): Promise<string[]> {
    // Nothing of a deleted memory changes any more, so its last change is its deletion.
    const filter = { org: organizationId, live: false, updatedAt: { $lt: before } };
    const options = { sort: { updatedAt: 1 }, limit, projection: { _id: 1 } } as const;
    const documents = await guarded(() => this.#collections.memories.find(filter, options).toArray());
    return documents.map(({ _id }) => _id);
  }

  async findEmbeddedOtherwise(
    organizationId: string,
    fingerprint: string,
    limit: number,
  ): Promise<Pick<Memory, 'id' | 'content'>[]> {
    const filter = { org: organizationId, fingerprint: { $ne: fingerprint } };
    const options = { sort: { createdAt: 1 }, limit, projection: { content: 1 } } as const;
    const documents = await guarded(() => this.#collections.memories.find(filter, options).toArray());
    return documents.map(({ _id, content }) => ({ id: _id, content }));
  }

  async #list(
    organizationId: string,
    query: ListQuery,
    session?: ClientSession,
  ): Promise<{ memories: Memory[]; isCut: boolean }> {
    const { filter, sort } = listQuery(organizationId, query);
    const options = { sort, limit: query.limit, projection: MEMORY_FIELDS, ...(session && { session }) };
    const memories: Memory[] = [];
    let bytes = 0;
    for await (const document of this.#collections.memories.find<MemoryFields>(filter, options)) {
      const memory = toMemory(organizationId, document);
      memories.push(memory);
      if (query.maxBytes === undefined) continue;
      bytes += memoryBytes(memory);
      if (memories.length > 1 && bytes > query.maxBytes) return { memories, isCut: true };
    }
    return { memories, isCut: false };
  }

  async #find(
    organizationId: string,
    filter: { _id: string } | { subject: string; contentHash: string; live: true },
  ): Promise<Memory | undefined> {
    const scoped = { org: organizationId, ...filter };
    const options = { projection: MEMORY_FIELDS };
    const document = await guarded(() => this.#collections.memories.findOne<MemoryFields>(scoped, options));
    return document ? toMemory(organizationId, document) : undefined;
  }
}
