import type { Microseconds } from '../../../../domain/timestamp.js';
import type { VectorQuery } from '../../../../ports/memory-reader.js';
import type { Connection } from '../../engine/connection.js';
import { excludedSeqs } from '../../engine/statements/document-seqs.js';
import {
  matchingAmong,
  matchingFrom,
  matchingSeqs,
  nearestSeq,
  type Selection,
  select,
  selectSole,
} from '../../engine/statements/filter-sql.js';
import type { Candidate } from '../scan/top-candidates.js';
import type { FrequentFilter, FrequentFilters } from './frequent-filters.js';
import { AllRows, OutsideRows } from './outside-rows.js';
import { GATHER_BELOW } from './plan.js';

/** The rows that a search may return. Each method uses the cheapest way to read them. */
export interface MatchingRows {
  /** Upper bound of their number, up to the value that affects the plan. */
  readonly atMost: number;
  /** Share of the candidates of searches before that matched. Undefined if it is unknown. */
  readonly share: number | undefined;
  /** Returns all of them, in a state since the search began. */
  seqs(): readonly number[];
  /** Returns the candidates that match now, in the given order. */
  among(candidates: readonly Candidate[]): Candidate[];
  /** Returns at most `limit` rows that were created at or after `since`. */
  createdSince(since: Microseconds, limit: number): readonly number[];
}

/** The organization whose rows are read. */
interface RowSource {
  connection: Connection;
  org: number;
  /** Number of rows in the index. */
  rows: number;
  frequent: FrequentFilters;
}

/** Returns undefined if every row may be returned. */
export function matchingRows(source: RowSource, query: VectorQuery): MatchingRows | undefined {
  const { connection, org, rows } = source;
  const wanted = filteredRows(source, query);
  const excluded = excludedSeqs(connection, org, query);
  if (!excluded) return wanted;
  return new OutsideRows(wanted ?? new AllRows({ connection, org }, rows, query.includeDeleted), excluded);
}

/** Reads the seqs of a filter with one condition at once, since counting them would take as long. */
function filteredRows({ connection, org, rows, frequent }: RowSource, query: VectorQuery): MatchingRows | undefined {
  const bound = Math.ceil(rows * GATHER_BELOW) + 1;
  const sole = selectSole(query, bound);
  if (!sole) {
    const selection = select(connection, org, query, bound);
    return selection && new FilteredRows(connection, org, selection);
  }
  const known = frequent.use(query);
  if (known) return new FilteredRows(connection, org, sole, { frequent: known });
  const seqs = matchingSeqs(connection, org, sole, bound);
  if (seqs.length < bound) return new FilteredRows(connection, org, { ...sole, rarest: seqs.length }, { seqs });
  return new FilteredRows(connection, org, sole, { frequent: frequent.add(query) });
}

/** Facts about the rows of a filter. */
interface KnownRows {
  /** Those of all matching rows, if they were read. */
  seqs?: readonly number[];
  frequent?: FrequentFilter;
}

class FilteredRows implements MatchingRows {
  readonly #connection: Connection;
  readonly #org: number;
  readonly #selection: Selection;
  readonly #frequent: FrequentFilter | undefined;
  #seqs: readonly number[] | undefined;

  constructor(connection: Connection, org: number, selection: Selection, { seqs, frequent }: KnownRows = {}) {
    this.#connection = connection;
    this.#org = org;
    this.#selection = selection;
    this.#frequent = frequent;
    this.#seqs = seqs;
  }

  get atMost(): number {
    return this.#selection.rarest;
  }

  get share(): number | undefined {
    return this.#frequent?.share;
  }

  seqs(): readonly number[] {
    this.#seqs ??= matchingSeqs(this.#connection, this.#org, this.#selection);
    return this.#seqs;
  }

  among(candidates: readonly Candidate[]): Candidate[] {
    const seqs = candidates.map(({ seq }) => seq);
    const matching = new Set(matchingAmong(this.#connection, this.#org, this.#selection, seqs));
    this.#frequent?.learn(seqs.length, matching.size);
    return candidates.filter(({ seq }) => matching.has(seq));
  }

  createdSince(since: Microseconds, limit: number): readonly number[] {
    const first = nearestSeq(this.#connection, this.#org, this.#selection.includeDeleted, '>', since);
    return first === undefined ? [] : matchingFrom(this.#connection, this.#org, this.#selection, first, limit);
  }
}
