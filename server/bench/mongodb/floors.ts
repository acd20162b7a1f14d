import { Binary } from 'mongodb';
import { MEMORY_FIELDS } from '../../adapters/mongo/memory-documents.js';
import { vectorIndexName } from '../../adapters/mongo/schema.js';
import { candidatesFor } from '../../adapters/mongo/vector-search.js';
import { fieldOf } from '../../adapters/mongo/vectors.js';
import type { Embedder } from '../../ports/embedder.js';
import { type Latency, timeEach } from '../timing.js';
import { DIMENSIONS } from '../world.js';
import type { BenchDatabase } from './bench-database.js';

/** Median milliseconds of what every implementation has to do. */
export interface MongoFloors {
  /** Bare Koa that reads a memory and answers with one. */
  koa: number;
  /** Bare Koa that reads a query and answers with ten memories. */
  koaSearch: number;
  /** A bare `insertOne`. */
  insert: number;
  /** A bare `$vectorSearch` in the organization. */
  search: number;
  /** The same under the filter that one in fifty memories passes. */
  searchRare: number;
}

/** What a bare search asks for. */
export interface BareSearch {
  /** A facet to have. */
  facet?: string;
  limit: number;
  exact: boolean;
}

/** One `$vectorSearch` by the driver after the other, each in the organization of its question, with nothing around it. */
export async function bareVectorSearch(
  { collections }: BenchDatabase,
  embedder: Embedder,
  questions: readonly { query: string; organizationId: string }[],
  { facet, limit, exact }: BareSearch,
): Promise<Latency> {
  const vectors = await embedder.embed(
    questions.map(({ query }) => query),
    'query',
  );
  const pipelines = questions.map(({ organizationId }, n) => [
    {
      $vectorSearch: {
        index: vectorIndexName(DIMENSIONS),
        path: `embedding.${fieldOf(DIMENSIONS)}`,
        queryVector: Binary.fromFloat32Array(vectors[n] ?? new Float32Array()),
        limit,
        filter: { org: organizationId, live: true, ...(facet !== undefined && { facets: facet }) },
        ...(exact ? { exact } : { numCandidates: candidatesFor(limit) }),
      },
    },
    { $project: { ...MEMORY_FIELDS, score: { $meta: 'vectorSearchScore' } } },
  ]);
  const options = { readConcern: { level: 'local' } } as const;
  return timeEach(pipelines, (pipeline) => collections.memories.aggregate(pipeline, options).toArray());
}

/** One document after the other, each with a text and a vector, acknowledged by a majority with its journal. */
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
