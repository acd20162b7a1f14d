import type { Microseconds } from '../../../../domain/timestamp.js';
import type { VectorQuery } from '../../../../ports/memory-reader.js';
import type { Connection } from '../../engine/connection.js';
import type { IndexLease } from '../index-parts.js';
import {
  agreedError,
  EXACT_DEVIATIONS,
  likelyMargin,
  productBound,
  type Quantized,
  quantized,
  USUAL_DEVIATIONS,
} from '../scan/codes/quantize.js';
import { type Needed, NO_SIMILARITY, unseenBy } from '../scan/matrix-search.js';
import type { SpreadMatrix } from '../scan/spread-matrix.js';
import { bySimilarity, type Candidate } from '../scan/top-candidates.js';
import { type MatchingRows, matchingRows } from './matching-rows.js';
import { allSince } from './outside-rows.js';
import { GATHER_BELOW, neededOf, planVectors } from './plan.js';
import type { SearchTotals } from './search-totals.js';
import { eachSimilarity } from './similarities.js';

/** The rows of one organization, and the resources to search them. */
export interface SearchSpace {
  connection: Connection;
  org: number;
  lease: Pick<IndexLease, 'index' | 'changed'>;
  /** Resolves when it is this search's turn to process the result of a scan. */
  turn: () => Promise<void>;
  /** Resolves when the organization may use the scanning threads. */
  scanTurn: () => Promise<Disposable>;
  totals: SearchTotals;
}

/** The result of a scan of a matrix, in its state when the scan began. */
interface ScanResult {
  found: Candidate[];
  /** Upper bound of the estimates of all other rows. */
  unseen: number;
  /** True if every candidate matched the filter. */
  isFiltered: boolean;
}

/** Candidates in the current state, and an upper bound of the estimates of all other rows. */
export interface Look {
  /** Most similar first. */
  found: Candidate[];
  unseen: number;
  /** Returns those of the candidates that match the filter. Checking one takes longer than scanning a hundred rows. */
  matching(candidates: readonly Candidate[]): readonly Candidate[];
}

/**
 * Runs one query over the rows that may be returned.
 *
 * Memories can change while a scan runs. The result of a scan stays valid for
 * memories that did not change. All changed memories are read again from the
 * database. So the result of `look`, and everything read in the same turn of
 * the event loop, belongs to one state of the store.
 */
export class VectorSearch {
  readonly #space: SearchSpace;
  readonly #query: VectorQuery;
  readonly #matrices: readonly SpreadMatrix[];
  /** Maximum error of an estimated similarity. */
  readonly bound: number;
  /**
   * The assumed error of an estimate if only the order depends on it. `bound` is some nine times as much, and would cause
   * half of the vectors to be read.
   */
  readonly margin: number;
  readonly #quantized: Quantized;
  readonly #rows: MatchingRows | undefined;
  readonly #similarities: Map<number, number>;

  constructor(space: SearchSpace, query: VectorQuery) {
    this.#space = space;
    this.#query = query;
    this.#similarities = space.lease.index.similaritiesTo(query.vector);
    const { active, deleted } = space.lease.index;
    this.#matrices = [active, query.includeDeleted ? deleted : undefined].filter((matrix) => matrix !== undefined);
    const { codes, step, error } = quantized(query.vector);
    this.#quantized = { codes, step };
    this.bound = Math.max(0, ...this.#matrices.map(({ codeError }) => productBound(error, codeError)));
    const agreed = (rowStep: number) => (query.exact ? agreedError(query.vector, this.#quantized, rowStep) : 0);
    const deviations = query.exact ? EXACT_DEVIATIONS : USUAL_DEVIATIONS;
    const likely = this.#matrices.map(({ coarsestStep: rowStep }) => {
      return likelyMargin(step, rowStep, deviations) + agreed(rowStep);
    });
    this.margin = Math.min(this.bound, Math.max(0, ...likely));
    const { connection, org } = space;
    const { frequentFilters: frequent } = space.lease.index;
    this.#rows = matchingRows({ connection, org, rows: this.#size, frequent }, query);
  }

  /** Finds about `wanted` of the most similar rows, or those that are needed of them. */
  async scan(wanted: number, needed?: Needed): Promise<ScanResult[]> {
    const results = await this.#scanAll(wanted, needed);
    await this.#space.turn();
    return results;
  }

  /** Returns the rows created at or after `since`, or undefined if they are too many to compare. */
  createdSince(since: Microseconds): Candidate[] | undefined {
    const limit = Math.ceil(this.#size * GATHER_BELOW);
    const { connection, org } = this.#space;
    const bounds = { since, limit: limit + 1 };
    const seqs = this.#rows
      ? this.#rows.createdSince(since, bounds.limit)
      : allSince(connection, org, this.#query.includeDeleted, bounds);
    if (seqs.length > limit) return undefined;
    return this.#matrices.flatMap((matrix) => this.#searchOnly(matrix, seqs, seqs.length));
  }

  /** Converts the results of a scan to the current state, by estimated similarity, most similar first. */
  look(results: readonly ScanResult[]): Look {
    const { changed } = this.#space.lease;
    const [only, ...others] = results;
    // The result of a scan is in order.
    const isInOrder = only !== undefined && others.length === 0 && changed.size === 0;
    const found = isInOrder ? only.found : this.#foundNow(results).sort(bySimilarity);
    const rows = results.every(({ isFiltered }) => isFiltered) ? undefined : this.#rows;
    return {
      found,
      unseen: Math.max(NO_SIMILARITY, ...results.map(({ unseen }) => unseen)),
      matching: (candidates) => rows?.among(candidates) ?? candidates,
    };
  }

  /** Returns the rows of a scan that did not change since, and those that did. */
  #foundNow(results: readonly ScanResult[]): Candidate[] {
    const { changed } = this.#space.lease;
    const found = results.flatMap((result) => result.found.filter(({ seq }) => !changed.has(seq)));
    if (changed.size > 0) found.push(...this.#changedNow([...changed]));
    return found;
  }

  /** Returns memories with estimates of their similarity, by their seqs. Omits memories without a vector. */
  estimates(seqs: readonly number[]): Map<number, Candidate> {
    const rows = this.#matrices.flatMap((matrix) => this.#searchOnly(matrix, seqs, seqs.length));
    return new Map(rows.map((row) => [row.seq, row]));
  }

  /** Computes the exact similarities of many rows in advance, with few reads. */
  measure(candidates: readonly Pick<Candidate, 'seq'>[]): void {
    const seqs = candidates.map(({ seq }) => seq).filter((seq) => !this.#similarities.has(seq));
    const { side } = this.#space.lease.index.vectors;
    const compared = { seqs, side, vector: this.#query.vector };
    eachSimilarity(this.#space.connection, compared, (seq, similarity) => {
      this.#similarities.set(seq, similarity);
      this.#space.totals.addCandidate(compared.vector.byteLength);
    });
  }

  /** Returns the exact similarity from the stored vector, clipped to [0, 1]. 0 if no vector is stored. */
  similarityOf(seq: number): number {
    if (!this.#similarities.has(seq)) this.measure([{ seq }]);
    return this.#similarities.get(seq) ?? 0;
  }

  async #scanAll(wanted: number, needed?: Needed): Promise<ScanResult[]> {
    const scan = () => Promise.all(this.#matrices.map((matrix) => this.#scan(matrix, wanted, needed)));
    if (!this.#matrices.some(({ isSpread }) => isSpread)) return scan();
    using _ = await this.#space.scanTurn();
    return await scan();
  }

  get #size(): number {
    return this.#matrices.reduce((sum, { size }) => sum + size, 0);
  }

  async #scan(matrix: SpreadMatrix, wanted: number, needed?: Needed): Promise<ScanResult> {
    const rows = this.#rows;
    if (!rows) return { ...(await this.#searchAll(matrix, wanted, needed)), isFiltered: true };
    const plan = planVectors(matrix.size, rows, wanted);
    if (plan.kind === 'overscan') {
      const found = await this.#searchAll(matrix, plan.candidates, neededOf(needed, rows.share));
      return { ...found, isFiltered: false };
    }
    const found = this.#searchOnly(matrix, rows.seqs(), wanted);
    return { found, unseen: unseenBy(found, wanted), isFiltered: true };
  }

  async #searchAll(matrix: SpreadMatrix, k: number, needed?: Needed): Promise<Omit<ScanResult, 'isFiltered'>> {
    const { exact = false } = this.#query;
    const { candidates, unseen, bytes } = await matrix.search({
      query: this.#quantized,
      k,
      exact,
      ...(needed && { needed }),
    });
    this.#space.totals.addScanned(bytes);
    return { found: candidates, unseen };
  }

  #searchOnly(matrix: SpreadMatrix, seqs: readonly number[], wanted: number): Candidate[] {
    this.#space.totals.addScanned(Math.min(seqs.length, matrix.size) * matrix.dimensions);
    return matrix.searchOnly(this.#quantized, seqs, wanted);
  }

  /** Returns the given memories that may be returned, with exact similarities. */
  #changedNow(seqs: readonly number[]): Candidate[] {
    const { connection, org, lease } = this.#space;
    const { fingerprint, side } = lease.index.vectors;
    for (const seq of seqs) this.#similarities.delete(seq);
    const sql = `SELECT m.seq, m.created_at AS createdAt FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value
      CROSS JOIN vectors v ON v.seq = m.seq * ? AND v.fingerprint = (SELECT key FROM fingerprints WHERE fingerprint = ?)
      WHERE m.org = ? ${this.#query.includeDeleted ? '' : 'AND m.deleted_at IS NULL'}`;
    const rows = connection
      .all<Omit<Candidate, 'similarity'>>(sql, JSON.stringify(seqs), side, fingerprint, org)
      .map((row) => ({ ...row, similarity: 0 }));
    const matching = this.#rows?.among(rows) ?? rows;
    this.measure(matching);
    return matching.map((row) => ({ ...row, similarity: this.similarityOf(row.seq) }));
  }
}
