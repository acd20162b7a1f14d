import type { Match, SimilarQuery } from '../../ports/store.js';
import type { Connection } from './connection.js';
import { storedSimilarity } from './nearest.js';
import { MEMORY_COLUMNS, type MemoryRow, subjectColumn, toMemory } from './rows.js';
import type { Candidate, VectorMatrix } from './vector-index/matrix.js';
import type { OrganizationIndex } from './vector-index/organization-index.js';
import { GATHER_BELOW } from './vector-index/plan.js';
import { quantizationMargin, quantized } from './vector-index/quantize.js';

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
}

/** One of the places to look in. */
interface Look {
  candidates: (k: number) => Candidate[];
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

function looks({ index, staged }: SimilarSpace, { embedding, subjectKey, atLeast }: SimilarQuery): Look[] {
  const { codes, step } = quantized(embedding);
  return [staged, index?.active].flatMap((matrix) => {
    if (matrix?.dimensions !== codes.length) return [];
    const most = matrix.size * GATHER_BELOW;
    const few = matrix === staged ? undefined : index?.seqsOfSubject(subjectColumn(subjectKey), most);
    return [
      {
        candidates: (k: number) => (few ? matrix.searchOnly(codes, few, k) : matrix.search(codes, k)),
        least: atLeast - quantizationMargin(step, matrix.coarsestStep),
      },
    ];
  });
}

function verified({ connection, organizationId, org }: SimilarSpace, query: SimilarQuery, seq: number): Match[] {
  const similarity = Math.min(1, Math.max(0, storedSimilarity(connection, seq, query.embedding)));
  if (similarity < query.atLeast) return [];
  const row = connection.get<MemoryRow>(
    `SELECT ${MEMORY_COLUMNS} FROM memories m
       WHERE seq = ? AND org = ? AND subject_key = ? AND deleted_at IS NULL`,
    seq,
    org,
    subjectColumn(query.subjectKey),
  );
  return row ? [{ memory: toMemory(organizationId, row), similarity, score: similarity }] : [];
}
