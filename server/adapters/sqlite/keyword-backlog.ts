import { termsOf } from '../../domain/keyword-terms.js';
import type { Connection } from './connection.js';
import { indexedTerm } from './keyword-terms.js';

/** The words of a memory's content. */
export interface MemoryTerms {
  org: number;
  seq: number;
  terms: readonly string[];
}

/**
 * Writing this many contents into the index costs hardly more than writing
 * one: each write makes a segment, and segments are merged again and again.
 */
const WRITTEN_TOGETHER = 64;

/**
 * Contents on their way into the keyword index.
 *
 * The index has the words of every memory up to a seq that the database
 * keeps. Those of later memories are here as well, for searches to look
 * through, and are read again after a restart; so a write need not touch the
 * index, and nothing is ever missing from it.
 */
export class KeywordBacklog {
  readonly #connection: Connection;
  /** Committed. */
  #waiting = new Map<number, MemoryTerms>();
  #kept: MemoryTerms[] = [];
  #current: MemoryTerms[] = [];
  #indexedTo: number;
  /** What the open transaction has written into the index; undefined where it left it alone. */
  #written: { indexedTo: number } | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#indexedTo = connection.get<{ seq: number }>('SELECT seq FROM keyword_state')?.seq ?? 0;
    const sql = 'SELECT org, seq, content FROM memories WHERE seq > ? ORDER BY seq';
    for (const { org, seq, content } of connection.all<{ org: number; seq: number; content: string }>(
      sql,
      this.#indexedTo,
    )) {
      this.#waiting.set(seq, { org, seq, terms: termsOf(content) });
    }
  }

  /** The memories of an organization whose words the index does not have yet. */
  of(org: number): MemoryTerms[] {
    return [...this.#waiting.values()].filter((memory) => memory.org === org);
  }

  stage(memory: MemoryTerms): void {
    this.#current.push(memory);
  }

  unitKept(): void {
    this.#kept.push(...this.#current);
    this.#current = [];
  }

  unitDropped(): void {
    this.#current = [];
  }

  beforeCommit(): void {
    this.#writeDue(WRITTEN_TOGETHER);
  }

  /** Writes all that waits into the open transaction. */
  writeAll(): void {
    this.#writeDue(1);
  }

  committed(): void {
    if (this.#written) {
      this.#indexedTo = this.#written.indexedTo;
      this.#waiting.clear();
    } else {
      for (const memory of this.#kept) if (memory.seq > this.#indexedTo) this.#waiting.set(memory.seq, memory);
    }
    this.abandoned();
  }

  abandoned(): void {
    this.#kept = [];
    this.#current = [];
    this.#written = undefined;
  }

  #writeDue(due: number): void {
    const changed = this.#kept.filter(({ seq }) => seq <= this.#indexedTo);
    for (const memory of changed) this.#write(memory);
    const fresh = this.#kept.filter(({ seq }) => seq > this.#indexedTo);
    const waiting = new Map([...this.#waiting, ...fresh.map((memory): [number, MemoryTerms] => [memory.seq, memory])]);
    if (waiting.size < due) return;
    for (const memory of waiting.values()) this.#write(memory);
    const indexedTo = Math.max(...waiting.keys());
    this.#connection.run('UPDATE keyword_state SET seq = ?', indexedTo);
    this.#written = { indexedTo };
  }

  #write({ org, seq, terms }: MemoryTerms): void {
    const text = terms.map((term) => indexedTerm(org, term)).join(' ');
    this.#connection.run('INSERT OR REPLACE INTO keywords (rowid, terms) VALUES (?, ?)', seq, text);
  }
}
