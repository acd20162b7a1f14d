import type { Connection } from './connection.js';
import { indexedTerm } from './keyword-terms.js';

interface StagedContent {
  org: number;
  seq: number;
  terms: readonly string[];
}

/**
 * Contents whose words go into the keyword index at the end of a transaction.
 *
 * The index writes a segment at every savepoint: writing once for the whole
 * group leaves one segment a commit, and the units never search it.
 */
export class StagedKeywords {
  readonly #connection: Connection;
  #kept: StagedContent[] = [];
  #current: StagedContent[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  stage(content: StagedContent): void {
    this.#current.push(content);
  }

  keep(): void {
    this.#kept.push(...this.#current);
    this.#current = [];
  }

  drop(): void {
    this.#current = [];
  }

  write(): void {
    for (const { org, seq, terms } of this.#kept) {
      const text = terms.map((term) => indexedTerm(org, term)).join(' ');
      this.#connection.run('INSERT OR REPLACE INTO keywords (rowid, terms) VALUES (?, ?)', seq, text);
    }
    this.#kept = [];
  }

  abandoned(): void {
    this.#kept = [];
    this.#current = [];
  }
}
