import { Binary } from 'mongodb';
import { MEMORY_FIELDS } from '../../adapters/mongo/engine/memory-documents.js';
import { vectorIndexName } from '../../adapters/mongo/engine/schema.js';
import { FIRST_SLOT, fieldOf } from '../../adapters/mongo/engine/vectors.js';
import type { Embedder } from '../../ports/embedder.js';
import { type Latency, timeEach } from '../timing.js';
import { DIMENSIONS } from '../world.js';
import type { BenchDatabase } from './bench-database.js';

/** Median milliseconds of the work that no implementation can avoid. */
export interface MongoFloors {
  /** Bare Koa that reads a memory and answers with one. */
  koa: number;
  /** Bare Koa that reads a query and answers with ten memories. */
  koaSearch: number;
  /** A bare `insertOne`. */
  insert: number;
  /** A bare `$vectorSearch` in the organization. */
  search: number;
  /** The same with a filter that one of fifty memories matches. */
  searchRare: number;
}

/** The parameters of a bare search. */
interface BareSearch {
  /** The value of the facet to filter by. */
  facet?: string;
  limit: number;
  /** The number of candidates in the graph; if it is missing, the search is exact. */
  candidates?: number;
}

/** Measures sequential `$vectorSearch` calls of the driver, each in the organization of its question. */
export async function bareVectorSearch(
  { collections }: BenchDatabase,
  embedder: Embedder,
  questions: readonly { query: string; organizationId: string }[],
  { facet, limit, candidates }: BareSearch,
  { warmUp, onFound }: { warmUp?: number; onFound?: (query: string, ids: readonly string[]) => Promise<void> } = {},
): Promise<Latency> {
  const vectors = await embedder.embed(
    questions.map(({ query }) => query),
    'query',
  );
  const pipelines = questions.map(({ query, organizationId }, n) => ({
    query,
    stages: [
      {
        $vectorSearch: {
          index: vectorIndexName(DIMENSIONS, FIRST_SLOT),
          path: `embedding.${fieldOf(DIMENSIONS, FIRST_SLOT)}`,
          queryVector: Binary.fromFloat32Array(vectors[n] ?? new Float32Array()),
          limit,
          filter: { org: organizationId, live: true, ...(facet !== undefined && { facets: facet }) },
          ...(candidates === undefined ? { exact: true } : { numCandidates: candidates }),
        },
      },
      { $project: { ...MEMORY_FIELDS, score: { $meta: 'vectorSearchScore' } } },
    ],
  }));
  const found = new Map<string, readonly string[]>();
  const latency = await timeEach(
    pipelines,
    async ({ query, stages }) => {
      const results = await collections.memories.aggregate(stages, { readConcern: { level: 'local' } }).toArray();
      found.set(
        query,
        results.map(({ _id }) => String(_id)),
      );
    },
    warmUp,
  );
  if (onFound) for (const [query, ids] of found) await onFound(query, ids);
  return latency;
}

/** Measures sequential inserts of a document with a text and a vector, acknowledged by a majority with its journal. */
export async function bareInsert(
  { db }: BenchDatabase,
  embedder: Embedder,
  contents: readonly string[],
): Promise<Latency> {
  const rows = db.collection('bench_rows');
  const vectors = await embedder.embed([...contents], 'document');
  const inputs = vectors.map((vector, n) => ({ content: contents[n], embedding: Binary.fromFloat32Array(vector) }));
  return timeEach(inputs, (row) => rows.insertOne(row));
}
