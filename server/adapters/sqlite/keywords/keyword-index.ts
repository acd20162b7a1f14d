import type { Connection } from '../engine/connection.js';
import { splitNumbers, splitVarints } from '../engine/statements/numbers.js';
import { type Postings, parsePostings } from './keyword-postings.js';

/** Maximum number of words whose count is kept: about 2 MB. */
const MAX_KEPT_COUNTS = 20_000;
/** Maximum number of memories in all postings that are kept: 4 MB. */
const MAX_KEPT_POSTINGS = 250_000;
/** Maximum number of memories whose length is kept: about 2 MB. */
const MAX_KEPT_LENGTHS = 50_000;

/** The engine rewrites this record of the index at every change of the index. */
const STATE = `SELECT hex(block) AS version, (SELECT seq FROM keyword_state) AS indexedTo FROM keywords_data WHERE id = 10`;
const COUNT = 'SELECT doc FROM keyword_terms WHERE term = ?';
/** The table has one row per occurrence of the word, in the order of the memories. */
const PLACES = 'SELECT group_concat(doc) AS seqs FROM keyword_instances WHERE term = ?';
/** The numbers come in one row: one row for each memory costs several times as much. */
const LENGTHS = `SELECT group_concat(seq) AS seqs, group_concat(words) AS lengths
  FROM memories WHERE seq IN (SELECT value FROM json_each(?))`;
/** The engine keeps the same lengths in a table with some hundreds of rows in a page, but only those of indexed memories. */
const INDEXED_LENGTHS = `SELECT group_concat(id) AS seqs, group_concat(hex(sz)) AS lengths
  FROM keywords_docsize WHERE id IN (SELECT value FROM json_each(?))`;

const known = new WeakMap<Connection, KeywordIndex>();

/**
 * Returns the index in the state that the connection reads now. Use it in the same turn only.
 *
 * @param connection one that reads committed states only, so that no two states have the same record
 */
export function keywordIndex(connection: Connection): KeywordIndex {
  let index = known.get(connection);
  if (!index) {
    index = new KeywordIndex(connection);
    known.set(connection, index);
  }
  index.renew();
  return index;
}

/**
 * Reads the index, and keeps what it read until the index changes: the engine reads all places of a word to count it, and
 * searches often ask for the same words. A commit that changes the content of an indexed memory, or purges it, also changes
 * the index.
 */
export class KeywordIndex {
  readonly #connection: Connection;
  readonly #counts = new Map<string, number>();
  /** The most recently used come last. */
  readonly #postings = new Map<string, Postings>();
  readonly #lengths = new Map<number, number>();
  #keptPostings = 0;
  #version = '';
  #indexedTo = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Drops what belongs to an earlier state of the index. */
  renew(): void {
    const state = this.#connection.get<{ version: string; indexedTo: number | null }>(STATE);
    const version = state?.version ?? '';
    if (version === this.#version && version !== '') return;
    this.#counts.clear();
    this.#postings.clear();
    this.#lengths.clear();
    this.#keptPostings = 0;
    this.#version = version;
    this.#indexedTo = state?.indexedTo ?? 0;
  }

  /** Returns the number of indexed memories that contain a word. */
  count(indexedTerm: string): number {
    const kept = this.#counts.get(indexedTerm);
    if (kept !== undefined) return kept;
    const count = this.#connection.get<{ doc: number }>(COUNT, indexedTerm)?.doc ?? 0;
    if (this.#counts.size >= MAX_KEPT_COUNTS) this.#counts.clear();
    this.#counts.set(indexedTerm, count);
    return count;
  }

  /** Returns the indexed memories that contain a word. */
  postings(indexedTerm: string): Postings {
    const kept = this.#postings.get(indexedTerm);
    if (kept) {
      this.#postings.delete(indexedTerm);
      this.#postings.set(indexedTerm, kept);
      return kept;
    }
    const read = parsePostings(this.#connection.get<{ seqs: string | null }>(PLACES, indexedTerm)?.seqs);
    this.#keep(indexedTerm, read);
    return read;
  }

  /** Returns the number of words of each memory. Omits memories that do not exist. */
  lengths(seqs: readonly number[]): Map<number, number> {
    const lengths = new Map<number, number>();
    const indexed: number[] = [];
    const later: number[] = [];
    for (const seq of seqs) {
      const kept = this.#lengths.get(seq);
      if (kept !== undefined) lengths.set(seq, kept);
      else if (seq <= this.#indexedTo) indexed.push(seq);
      else later.push(seq);
    }
    if (this.#lengths.size + indexed.length > MAX_KEPT_LENGTHS) this.#lengths.clear();
    for (const [seq, length] of this.#read(INDEXED_LENGTHS, indexed, splitVarints)) {
      lengths.set(seq, length);
      this.#lengths.set(seq, length);
    }
    // Lengths of memories that are not indexed yet change without a change of the index.
    for (const [seq, length] of this.#read(LENGTHS, later, splitNumbers)) lengths.set(seq, length);
    return lengths;
  }

  *#read(
    sql: string,
    seqs: readonly number[],
    split: (joined: string | null | undefined) => number[],
  ): Generator<[seq: number, length: number]> {
    if (seqs.length === 0) return;
    const row = this.#connection.get<{ seqs: string | null; lengths: string | null }>(sql, JSON.stringify(seqs));
    const lengths = split(row?.lengths);
    for (const [at, seq] of splitNumbers(row?.seqs).entries()) yield [seq, lengths[at] as number];
  }

  #keep(indexedTerm: string, postings: Postings): void {
    const { length } = postings.seqs;
    if (length > MAX_KEPT_POSTINGS) return;
    this.#postings.set(indexedTerm, postings);
    this.#keptPostings += length;
    for (const [oldest, { seqs }] of this.#postings) {
      if (this.#keptPostings <= MAX_KEPT_POSTINGS) break;
      this.#postings.delete(oldest);
      this.#keptPostings -= seqs.length;
    }
  }
}
