import type { Memory } from '../../../domain/memory/memory.js';
import { subjectText } from '../../../domain/memory/memory-facets.js';
import { memoryBytes } from '../../../domain/memory/page-bytes.js';
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
import { documentIdsOf, idOf, MEMORY_FIELDS, type MemoryFields, toMemory } from '../engine/memory-documents.js';
import type { Transactions } from '../engine/transactions.js';
import { relevantTo } from '../keywords/keyword-search.js';
import { NearestSearch, type VectorSettings } from '../vector-index/nearest.js';
import { activeWithContents } from './expected-memories.js';
import { listQuery } from './list-query.js';
import { readStats } from './stats.js';

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
    const scoped = { org: organizationId, _id: { $in: documentIdsOf(organizationId, id) } };
    const options = { projection: MEMORY_FIELDS };
    const document = await guarded(() => this.#collections.memories.findOne<MemoryFields>(scoped, options));
    return document ? toMemory(organizationId, document) : undefined;
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

  async list(organizationId: string, query: ListQuery): Promise<Memory[]> {
    const { filter, sort } = listQuery(organizationId, query);
    const options = { sort, limit: query.limit, projection: MEMORY_FIELDS };
    return guarded(async () => {
      const memories: Memory[] = [];
      let bytes = 0;
      for await (const document of this.#collections.memories.find<MemoryFields>(filter, options)) {
        const memory = toMemory(organizationId, document);
        memories.push(memory);
        if (query.maxBytes === undefined) continue;
        bytes += memoryBytes(memory);
        if (memories.length > 1 && bytes > query.maxBytes) break;
      }
      return memories;
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

  async findEmbeddedOtherwise(
    organizationId: string,
    fingerprint: string,
    limit: number,
  ): Promise<Pick<Memory, 'id' | 'content'>[]> {
    const filter = { org: organizationId, fingerprint: { $ne: fingerprint } };
    const options = { sort: { createdAt: 1 }, limit, projection: { content: 1 } } as const;
    const documents = await guarded(() => this.#collections.memories.find(filter, options).toArray());
    return documents.map(({ _id, content }) => ({ id: idOf(_id), content }));
  }
}
