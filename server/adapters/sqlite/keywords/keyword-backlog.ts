import { termsOf } from '../../../domain/retrieval/keyword-terms.js';
import type { Connection } from '../engine/connection.js';
import type { Pacer } from '../engine/pacer.js';
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

/** Pages of the index that are merged at once, in two or three milliseconds. */
const MERGED_PAGES = 32;
/**
 * So many characters of words make, packed as they are and merged once more in
 * each of half a dozen levels, as many pages. Were less merged than that, the
 * engine would one day merge all that is left over at once.
 */
const CHARACTERS_MERGED = 54_000;

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
  readonly #pacer: Pacer;
  /** Committed. */
  #waiting = new Map<number, MemoryTerms>();
  #kept: MemoryTerms[] = [];
  #current: MemoryTerms[] = [];
  #indexedTo: number;
  /** What the open transaction has written into the index; undefined where it left it alone. */
  #written: { indexedTo: number } | undefined;

  /** @param pacer lets others have their turn while much is written */
  constructor(connection: Connection, pacer: Pacer) {
    this.#connection = connection;
    this.#pacer = pacer;
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

  /** Writes into the open transaction what has to go with it. */
  beforeCommit(): Promise<void> {
    return this.#writeDue(WRITTEN_TOGETHER);
  }

  /** Writes all that waits into the open transaction. */
  writeAll(): Promise<void> {
    return this.#writeDue(1);
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

  async #writeDue(due: number): Promise<void> {
    const changed = this.#kept.filter(({ seq }) => seq <= this.#indexedTo);
    const fresh = this.#kept.filter(({ seq }) => seq > this.#indexedTo);
    const waiting = new Map([...this.#waiting, ...fresh.map((memory): [number, MemoryTerms] => [memory.seq, memory])]);
    const isDue = waiting.size >= due;
    const memories = isDue ? [...changed, ...waiting.values()] : changed;
    if (memories.length === 0) return;
    const characters = await this.#write(memories);
    if (isDue) {
      const indexedTo = Math.max(...waiting.keys());
      this.#connection.run('UPDATE keyword_state SET seq = ?', indexedTo);
      this.#written = { indexedTo };
    }
    await this.#merge(Math.ceil(characters / CHARACTERS_MERGED));
  }

  /** How many characters of words that were. */
  async #write(memories: readonly MemoryTerms[]): Promise<number> {
    let characters = 0;
    for (const { org, seq, terms } of memories) {
      await this.#pacer.breathe();
      const text = terms.map((term) => indexedTerm(org, term)).join(' ');
      this.#connection.run('INSERT OR REPLACE INTO keywords (rowid, terms) VALUES (?, ?)', seq, text);
      characters += text.length;
    }
    return characters;
  }

  /** Does what the engine would do by itself, more of it at once than others should wait for. */
  async #merge(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      await this.#pacer.breathe();
      this.#connection.run("INSERT INTO keywords (keywords, rank) VALUES ('merge', ?)", MERGED_PAGES);
    }
  }
}
