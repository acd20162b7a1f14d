import { subjectText } from '../../domain/memory-facets.js';
import type { Match, SimilarQuery } from '../../ports/store.js';
import type { Connection } from './connection.js';
import { MEMORY_COLUMNS, type MemoryRow, toMemory } from './rows.js';
import type { VectorMatrix } from './vector-index/matrix.js';
import type { OrganizationIndex } from './vector-index/organization-index.js';
import { GATHER_BELOW } from './vector-index/plan.js';
import { quantizationMargin, quantized } from './vector-index/quantize.js';
import type { Candidate } from './vector-index/top-candidates.js';
import { storedSimilarity } from './vector-search.js';
import { clip } from './vectors.js';

/** Where a unit of work looks for near-duplicates. */
export interface SimilarSpace {
  /** The writer's, which sees what the open transaction wrote. */
  connection: Connection;
  organizationId: string;
  org: number;
  /** Committed vectors. */
  index: OrganizationIndex | undefined;
  /** Vectors put by the open transaction. */
  staged: VectorMatrix | undefined;
  /** First looks among the committed vectors that were made already. */
  firstLooks: FirstLooks;
}

/** What a first look found, by the vector it looked for. */
export type FirstLooks = ReadonlyMap<Float32Array, readonly Candidate[]>;

/** One of the places to look in. */
interface Look {
  candidates: (k: number) => readonly Candidate[];
  /** Rows that seem less similar than this are not similar enough. */
  least: number;
}

/** Duplicates are rare, so the first look is a short one. */
const FIRST_LOOK = 16;

/**
 * Active memories of a subject at least so similar, best first.
 *
 * Candidates come from quantized vectors; what counts is the state and the
 * vector that the transaction sees.
 */
export function findSimilar(space: SimilarSpace, query: SimilarQuery): Match[] {
  const seqs = new Set(looks(space, query).flatMap(similarRows));
  const matches = [...seqs].flatMap((seq) => verified(space, query, seq));
  return matches.sort((a, b) => b.similarity - a.similarity).slice(0, query.limit);
}

/** The seqs of all rows that seem similar enough. */
function similarRows({ candidates, least }: Look): number[] {
  for (let k = FIRST_LOOK; ; k *= 4) {
    const found = candidates(k);
    const similar = found.filter(({ similarity }) => similarity >= least);
    if (found.length < k || similar.length < found.length) return similar.map(({ seq }) => seq);
  }
}

/** Looks for many vectors in one pass over the committed ones, which no transaction can change while it is open. */
export async function lookAhead(
  index: OrganizationIndex,
  embeddings: readonly Float32Array[],
  pause: () => Promise<void>,
): Promise<FirstLooks> {
  const matrix = index.active;
  const sought = embeddings.filter(({ length }) => length === matrix?.dimensions);
  if (!matrix || sought.length === 0) return new Map();
  const queries = sought.map((embedding) => quantized(embedding).codes);
  const found = await matrix.searchMany(queries, FIRST_LOOK, pause);
  return new Map(sought.map((embedding, at) => [embedding, found[at] ?? []]));
}

function looks({ index, staged, firstLooks }: SimilarSpace, { embedding, subjectKey, atLeast }: SimilarQuery): Look[] {
  const { codes, step } = quantized(embedding);
  const look = (
    matrix: VectorMatrix | undefined,
    candidates: (matrix: VectorMatrix, k: number) => readonly Candidate[],
  ) =>
    matrix?.dimensions === codes.length
      ? [
          {
            candidates: (k: number) => candidates(matrix, k),
            least: atLeast - quantizationMargin(step, matrix.coarsestStep),
          },
        ]
      : [];
  const most = (index?.active?.size ?? 0) * GATHER_BELOW;
  const few = index?.seqsOfSubject(subjectText(subjectKey), most);
  const first = few ? undefined : firstLooks.get(embedding);
  return [
    ...look(staged, (matrix, k) => matrix.search(codes, k)),
    ...look(index?.active, (matrix, k) => {
      if (first && k === FIRST_LOOK) return first;
      return few ? matrix.searchOnly(codes, few, k) : matrix.search(codes, k);
    }),
  ];
}

function verified({ connection, organizationId, org }: SimilarSpace, query: SimilarQuery, seq: number): Match[] {
  const similarity = clip(storedSimilarity(connection, seq, query.embedding));
  if (similarity < query.atLeast) return [];
  const row = connection.get<MemoryRow>(
    `SELECT ${MEMORY_COLUMNS} FROM memories m
       WHERE seq = ? AND org = ? AND subject_key = ? AND deleted_at IS NULL`,
    seq,
    org,
    subjectText(query.subjectKey),
  );
  return row ? [{ memory: toMemory(organizationId, row), similarity, score: similarity }] : [];
}
