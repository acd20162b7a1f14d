import type { Microseconds } from '../../../../domain/timestamp.js';
import type { Connection } from '../../engine/connection.js';
import { statesOf } from '../../engine/statements/filter-conditions.js';
import { joinedSeqs } from '../../engine/statements/filter-sql.js';
import type { NumberSet } from '../../engine/statements/numbers.js';
import type { Candidate } from '../scan/top-candidates.js';
import type { MatchingRows } from './matching-rows.js';

/** The rows of a search without those that it leaves out. */
export class OutsideRows implements MatchingRows {
  readonly atMost: number;
  readonly #base: MatchingRows;
  readonly #excluded: NumberSet;

  constructor(base: MatchingRows, excluded: NumberSet) {
    this.#base = base;
    this.#excluded = excluded;
    this.atMost = base.atMost;
  }

  get share(): number | undefined {
    return this.#base.share;
  }

  seqs(): readonly number[] {
    return this.#base.seqs().filter((seq) => !this.#excluded.has(seq));
  }

  among(candidates: readonly Candidate[]): Candidate[] {
    return this.#base.among(candidates).filter(({ seq }) => !this.#excluded.has(seq));
  }

  createdSince(since: Microseconds, limit: number): readonly number[] {
    const created = this.#base.createdSince(since, limit + this.#excluded.size);
    return created.filter((seq) => !this.#excluded.has(seq)).slice(0, limit);
  }
}

/** All rows of a search without a filter. */
export class AllRows implements MatchingRows {
  readonly share = undefined;
  readonly #connection: Connection;
  readonly #org: number;
  readonly #includeDeleted: boolean;

  constructor(
    { connection, org }: { connection: Connection; org: number },
    readonly atMost: number,
    includeDeleted: boolean,
  ) {
    this.#connection = connection;
    this.#org = org;
    this.#includeDeleted = includeDeleted;
  }

  seqs(): readonly number[] {
    return this.createdSince(0, Number.MAX_SAFE_INTEGER);
  }

  among(candidates: readonly Candidate[]): Candidate[] {
    return [...candidates];
  }

  createdSince(since: Microseconds, limit: number): readonly number[] {
    return allSince(this.#connection, this.#org, this.#includeDeleted, { since, limit });
  }
}

/** Returns at most `limit` seqs of each state, of memories that were created at or after `since`. */
export function allSince(
  connection: Connection,
  org: number,
  includeDeleted: boolean,
  { since, limit }: { since: Microseconds; limit: number },
): number[] {
  return statesOf(includeDeleted).flatMap((state) => {
    const sql = `SELECT m.seq FROM memories m WHERE ${state} AND m.org = ? AND m.created_at >= ? LIMIT +?`;
    return joinedSeqs(connection, sql, [org, since, limit]);
  });
}
