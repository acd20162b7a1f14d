import { Highest } from '../../../domain/retrieval/highest.js';
import { clip } from '../../../domain/retrieval/similarity.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { KeptMatches } from '../../../ports/memory-reader.js';
import type { Connection } from '../engine/connection.js';
import type { VectorSearch } from '../vector-index/search/vector-search.js';

const TIMES = `SELECT m.seq, m.created_at AS createdAt FROM memories m
  WHERE m.seq IN (SELECT value FROM json_each(?)) AND (? OR m.deleted_at IS NULL)`;

/** Number of vectors that are read at once. The best of them exclude others. */
const MEASURED_TOGETHER = 16;

/** A memory that was found by its words. */
export interface FoundByWords {
  seq: number;
  relevance: number;
}

interface Candidate extends FoundByWords {
  createdAt: Microseconds;
  /** Its score if its similarity is the highest that its estimate allows. */
  likelyAtMost: number;
}

/** The measure of a search by both words and meaning, and its conditions. */
interface Keeping {
  kept: KeptMatches;
  /** Upper bound of every relevance. */
  most: number;
  includeDeleted: boolean;
  /** Compares with the vector of the query. Undefined if the matches have no similarity. */
  search: VectorSearch | undefined;
}

/**
 * Returns the matches that a query keeps, in the given order, without reading their contents. Reads only the vectors of
 * those that may be among them by an estimate of their similarity.
 */
export function keptMatches(connection: Connection, found: readonly FoundByWords[], keeping: Keeping): FoundByWords[] {
  const { kept, most, search } = keeping;
  const candidates = candidatesOf(connection, found, keeping);
  const highest = new Highest(kept.limit);
  const scores = new Map<number, number>();
  for (let at = 0; at < candidates.length; at += MEASURED_TOGETHER) {
    const some = candidates
      .slice(at, at + MEASURED_TOGETHER)
      .filter(({ likelyAtMost }) => likelyAtMost >= highest.lowest);
    if (some.length === 0) break;
    search?.measure(some);
    for (const { seq, relevance, createdAt } of some) {
      const score = kept.scoreOf({ createdAt, relevance, similarity: search?.similarityOf(seq) ?? 0 }, most);
      if (score === undefined) continue;
      scores.set(seq, score);
      highest.add(score);
    }
  }
  return found.filter(({ seq }) => (scores.get(seq) ?? Number.NaN) >= highest.lowest);
}

/** Returns those that can be results, by the score that each may reach. */
function candidatesOf(
  connection: Connection,
  found: readonly FoundByWords[],
  { kept, most, includeDeleted, search }: Keeping,
): Candidate[] {
  const estimates = search?.estimates(found.map(({ seq }) => seq));
  const others = estimates ? found.filter(({ seq }) => !estimates.has(seq)) : found;
  const times = others.length === 0 ? undefined : timesOf(connection, others, includeDeleted);
  const candidates: Candidate[] = [];
  for (const { seq, relevance } of found) {
    const estimate = estimates?.get(seq);
    const createdAt = estimate?.createdAt ?? times?.get(seq);
    if (createdAt === undefined) continue;
    const scoreWith = (error: number) => {
      const similarity = estimate ? clip(estimate.similarity + error) : 1;
      return kept.scoreOf({ createdAt, relevance, similarity }, most);
    };
    const likelyAtMost = scoreWith(search?.margin ?? 0) ?? scoreWith(search?.bound ?? 0);
    if (likelyAtMost !== undefined) candidates.push({ seq, relevance, createdAt, likelyAtMost });
  }
  return candidates.sort((one, other) => other.likelyAtMost - one.likelyAtMost);
}

function timesOf(
  connection: Connection,
  found: readonly FoundByWords[],
  includeDeleted: boolean,
): Map<number, Microseconds> {
  const seqs = JSON.stringify(found.map(({ seq }) => seq));
  const rows = connection.all<{ seq: number; createdAt: Microseconds }>(TIMES, seqs, Number(includeDeleted));
  return new Map(rows.map(({ seq, createdAt }) => [seq, createdAt]));
}
