import type { Memory } from '../../domain/memory.js';
import type { Match, SimilarQuery } from '../../ports/store.js';
import type { Connection } from './connection.js';
import { storedSimilarity } from './nearest.js';
import { MEMORY_COLUMNS, type MemoryRow, subjectColumn, toMemory } from './rows.js';
import type { Candidate } from './vector-index/matrix.js';
import type { OrganizationIndex } from './vector-index/organization-index.js';
import { planVectors } from './vector-index/plan.js';
import { QUANTIZATION_MARGIN, quantized } from './vector-index/quantize.js';

/** Where a unit of work looks for near-duplicates. */
export interface SimilarSpace {
  /** The writer's, which sees what the open transaction wrote. */
  connection: Connection;
  organizationId: string;
  org: number;
  /** Committed vectors. */
  index: OrganizationIndex | undefined;
  /** The best of the vectors put by the open transaction. */
  staged: (query: Int8Array, k: number) => Candidate[];
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
  const codes = quantized(query.embedding);
  const least = query.atLeast - QUANTIZATION_MARGIN;
  const checked = new Set<number>();
  const matches: Match[] = [];
  const check = (candidates: readonly Candidate[]) => {
    for (const { seq, similarity } of candidates) {
      if (similarity < least || checked.has(seq)) continue;
      checked.add(seq);
      const match = verified(space, query, seq);
      if (match) matches.push(match);
    }
  };
  const looks = [(k: number) => space.staged(codes, k), committed(space, query, codes)];
  for (const look of looks) {
    for (let k = FIRST_LOOK; ; k *= 4) {
      const candidates = look(k);
      check(candidates);
      if (candidates.length < k || (candidates.at(-1)?.similarity ?? 0) < least) break;
    }
  }
  return matches.sort((a, b) => b.similarity - a.similarity).slice(0, query.limit);
}

/** Looks among the committed vectors of the subject. */
function committed({ index }: SimilarSpace, query: SimilarQuery, codes: Int8Array): (k: number) => Candidate[] {
  const matrix = index?.active;
  if (!index || matrix?.dimensions !== codes.length) return () => [];
  const ofSubject = index.seqsOfSubject(subjectColumn(query.subjectKey));
  return (k) => {
    const { kind } = planVectors(matrix.size, ofSubject.length, k);
    return kind === 'gather' && ofSubject.length < matrix.size
      ? matrix.searchOnly(codes, ofSubject, k)
      : matrix.search(codes, k);
  };
}

function verified(
  { connection, organizationId, org }: SimilarSpace,
  query: SimilarQuery,
  seq: number,
): Match | undefined {
  const similarity = Math.min(1, Math.max(0, storedSimilarity(connection, seq, query.embedding)));
  if (similarity < query.atLeast) return undefined;
  const row = connection.get<MemoryRow>(
    `SELECT ${MEMORY_COLUMNS} FROM memories m
       WHERE seq = ? AND org = ? AND subject_key = ? AND deleted_at IS NULL`,
    seq,
    org,
    subjectColumn(query.subjectKey),
  );
  const memory: Memory | undefined = row && toMemory(organizationId, row);
  return memory && { memory, similarity, score: similarity };
}
