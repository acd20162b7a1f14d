import type { Connection } from '../engine/connection.js';

/** Maximum number of words whose count is kept: about 2 MB. */
const MAX_KEPT = 20_000;

/** The engine rewrites this record of the index at every change of the index. */
const VERSION = 'SELECT hex(block) AS version FROM keywords_data WHERE id = 10';
const COUNT = 'SELECT doc FROM keyword_terms WHERE term = ?';

const known = new WeakMap<Connection, TermCounts>();

/**
 * Returns a function that counts the memories that contain a word, according to the index in the state that the
 * connection reads now. Call it in the same turn only.
 *
 * @param connection one that reads committed states only, so that no two states have the same record
 */
export function termCounts(connection: Connection): (indexedTerm: string) => number {
  let counts = known.get(connection);
  if (!counts) {
    counts = new TermCounts(connection);
    known.set(connection, counts);
  }
  counts.renew();
  const { of } = counts;
  return of;
}

/** Keeps counts until the index changes, since the engine counts a word by reading all its places. */
class TermCounts {
  readonly #connection: Connection;
  readonly #counts = new Map<string, number>();
  #version = '';

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Drops the counts of an earlier state of the index. */
  renew(): void {
    const version = this.#connection.get<{ version: string }>(VERSION)?.version ?? '';
    if (version === this.#version && version !== '') return;
    this.#counts.clear();
    this.#version = version;
  }

  readonly of = (indexedTerm: string): number => {
    const kept = this.#counts.get(indexedTerm);
    if (kept !== undefined) return kept;
    const count = this.#connection.get<{ doc: number }>(COUNT, indexedTerm)?.doc ?? 0;
    if (this.#counts.size >= MAX_KEPT) this.#counts.clear();
    this.#counts.set(indexedTerm, count);
    return count;
  };
}
