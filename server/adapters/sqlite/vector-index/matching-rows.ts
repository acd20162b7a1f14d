import type { Microseconds } from '../../../domain/timestamp.js';
import type { VectorQuery } from '../../../ports/memory-reader.js';
import type { Connection } from '../engine/connection.js';
import { excludedSeqs } from '../engine/document-seqs.js';
import { matchingAmong, matchingFrom, matchingSeqs, nearestSeq, type Selection, select } from '../engine/filter-sql.js';
import { AllRows, OutsideRows } from './outside-rows.js';
import { GATHER_BELOW } from './plan.js';
import type { Candidate } from './scan/top-candidates.js';

/** The rows that a search may return. Each method uses the cheapest way to read them. */
export interface MatchingRows {
  /** Upper bound of their number, up to the value that affects the plan. */
  readonly atMost: number;
  /** Returns all of them, in the state of the first call. */
  seqs(): readonly number[];
  /** Returns the candidates that match now, in the given order. */
  among(candidates: readonly Candidate[]): Candidate[];
  /** Returns at most `limit` rows that were created at or after `since`. */
  createdSince(since: Microseconds, limit: number): readonly number[];
}

/** Returns undefined if every row may be returned. @param rows number of rows in the index */
export function matchingRows(
  { connection, org, rows }: { connection: Connection; org: number; rows: number },
  query: VectorQuery,
): MatchingRows | undefined {
  const selection = select(connection, org, query, Math.ceil(rows * GATHER_BELOW) + 1);
  const wanted = selection && new FilteredRows(connection, org, selection);
  const excluded = excludedSeqs(connection, org, query);
  if (!excluded) return wanted;
  return new OutsideRows(wanted ?? new AllRows({ connection, org }, rows, query.includeDeleted), excluded);
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

  createdSince(since: Microseconds, limit: number): readonly number[] {
    const first = nearestSeq(this.#connection, this.#org, this.#selection.includeDeleted, '>', since);
    return first === undefined ? [] : matchingFrom(this.#connection, this.#org, this.#selection, first, limit);
  }
}
