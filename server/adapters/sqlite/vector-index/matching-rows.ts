import type { Microseconds } from '../../../domain/timestamp.js';
import type { VectorQuery } from '../../../ports/store.js';
import type { Connection } from '../engine/connection.js';
import { matchingAmong, matchingFrom, matchingSeqs, nearestSeq, type Selection, select } from '../engine/filter-sql.js';
import { GATHER_BELOW } from './plan.js';
import type { Candidate } from './scan/top-candidates.js';

/** The rows that a search may answer with, asked for in whichever way is cheapest. */
export interface MatchingRows {
  /** At least as many as there are, as far as that matters for the plan. */
  readonly atMost: number;
  /** All of them, as they were when they were asked for first. */
  seqs(): readonly number[];
  /** Those of the candidates that match now, in their order. */
  among(candidates: readonly Candidate[]): Candidate[];
  /** Those created at that time or later, at most so many. */
  createdSince(since: Microseconds, most: number): readonly number[];
}

/** Undefined when every row may be answered. @param rows among which so many are */
export function matchingRows(
  { connection, org, rows }: { connection: Connection; org: number; rows: number },
  query: VectorQuery,
): MatchingRows | undefined {
  const selection = select(connection, org, query, Math.ceil(rows * GATHER_BELOW) + 1);
  if (query.ids) return givenRows(connection, org, selection, query.ids);
  return selection && new FilteredRows(connection, org, selection);
}

class FilteredRows implements MatchingRows {
  readonly #connection: Connection;
  readonly #org: number;
  readonly #selection: Selection;
  #seqs: readonly number[] | undefined;

  constructor(connection: Connection, org: number, selection: Selection) {
    this.#connection = connection;
    this.#org = org;
    this.#selection = selection;
  }

  get atMost(): number {
    return this.#selection.rarest;
  }

  seqs(): readonly number[] {
    this.#seqs ??= matchingSeqs(this.#connection, this.#org, this.#selection);
    return this.#seqs;
  }

  among(candidates: readonly Candidate[]): Candidate[] {
    const seqs = candidates.map(({ seq }) => seq);
    const matching = new Set(matchingAmong(this.#connection, this.#org, this.#selection, seqs));
    return candidates.filter(({ seq }) => matching.has(seq));
  }

  createdSince(since: Microseconds, most: number): readonly number[] {
    const first = nearestSeq(this.#connection, this.#org, this.#selection.includeDeleted, '>', since);
    return first === undefined ? [] : matchingFrom(this.#connection, this.#org, this.#selection, first, most);
  }
}

function givenRows(
  connection: Connection,
  org: number,
  selection: Selection | undefined,
  ids: readonly string[],
): MatchingRows {
  const sql = 'SELECT seq FROM memories WHERE org = ? AND id = ?';
  const known = ids.flatMap((id) => connection.get<{ seq: number }>(sql, org, id)?.seq ?? []);
  const matching = (seqs: number[]) => (selection ? matchingAmong(connection, org, selection, seqs) : seqs);
  const seqs = [...new Set(matching(known))];
  return {
    atMost: seqs.length,
    seqs: () => seqs,
    among: (candidates) => {
      const now = matching(candidates.map(({ seq }) => seq).filter((seq) => known.includes(seq)));
      return candidates.filter(({ seq }) => now.includes(seq));
    },
    createdSince: (since, most) => {
      const first = nearestSeq(connection, org, true, '>', since);
      return first === undefined ? [] : seqs.filter((seq) => seq >= first).slice(0, most);
    },
  };
}
