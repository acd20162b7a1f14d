import { setTimeout } from 'node:timers/promises';
import { termsOf } from '../../../domain/retrieval/keyword-terms.js';
import type { Connection } from '../engine/connection.js';
import type { Yielder } from '../engine/yielder.js';
import { indexedTerm } from './keyword-terms.js';

/** The words of a memory's content. */
export interface MemoryTerms {
  org: number;
  seq: number;
  terms: readonly string[];
}

/** What became of the words of a memory: undefined if it was purged. */
type TermsChange = Omit<MemoryTerms, 'terms'> & { terms: MemoryTerms['terms'] | undefined };

/** A memory whose words nobody has read from its content yet. */
interface UnreadMemory {
  org: number;
  seq: number;
  content: string;
}

/**
 * Writing this many contents into the index costs hardly more than writing
 * one: each write makes a segment, and segments are merged again and again.
 */
const WRITTEN_TOGETHER = 64;
/**
 * One commit writes contents until it has this many characters of words, in some 15 ms: others wait for it. Of a larger
 * backlog it writes a share, so that a backlog grows to a bound however much is written.
 */
const CHARACTERS_WRITTEN = 100_000;
const SHARE_WRITTEN = 1 / 64;
/** Of a word as the index stores it, with the organization before it. */
const CHARACTERS_PER_TERM = 8;

/** Merges of one unit, when all parts of the index are merged. */
const MERGES_TOGETHER = 8;

/** Pages of the index that are merged at once, in two or three milliseconds. */
const MERGED_PAGES = 32;
/**
 * So many characters of words make, packed as they are and merged once more in
 * each of half a dozen levels, as many pages. Were less merged than that, the
 * engine would one day merge all that is left over at once.
 */
const CHARACTERS_MERGED = 54_000;

/** Share of the time that goes into reading the words of what waited at the start, until a search asks for them. */
const READING_SHARE = 0.1;
const FIRST_READING_MS = 100;

/**
 * Contents on their way into the keyword index.
 *
 * The index has the words of every memory up to a seq that the database
 * keeps. Those of later memories are here as well, for searches to look
 * through, and are read again after a restart; so a write need not touch the
 * index, and nothing is ever missing from it.
 *
 * A restart only reads the contents. Their words are read bit by bit
 * afterwards, or when a search or the index needs them: opening the store does
 * not depend on what the contents are.
 */
export class KeywordBacklog {
  readonly #connection: Connection;
  readonly #yielder: Yielder;
  /** Committed before the start. */
  readonly #unread: Map<number, UnreadMemory>;
  /** Committed. */
  #waiting = new Map<number, MemoryTerms>();
  /** Whether commits write the rest of a backlog that was written in part. */
  #isDraining = false;
  #kept: TermsChange[] = [];
  #current: TermsChange[] = [];
  #indexedTo: number;
  /** What the open transaction has written into the index; undefined where it left it alone. */
  #written: { indexedTo: number } | undefined;

  /** @param yielder lets others have their turn while much is written */
  constructor(connection: Connection, yielder: Yielder) {
    this.#connection = connection;
    this.#yielder = yielder;
    this.#indexedTo = connection.get<{ seq: number }>('SELECT seq FROM keyword_state')?.seq ?? 0;
    const sql = 'SELECT org, seq, content FROM memories WHERE seq > ? ORDER BY seq';
    const unread = connection.all<UnreadMemory>(sql, this.#indexedTo);
    this.#unread = new Map(unread.map((memory) => [memory.seq, memory]));
    if (unread.length > 0) void this.#readBitByBit();
  }

  /** Memories that wait since the start and whose words nobody has needed yet. */
  get unread(): number {
    return this.#unread.size;
  }

  /**
   * Reads the words of all memories of an organization that wait, so that `of` has them.
   *
   * @param turn resolves when there is time for the next one
   */
  async read(org: number, turn: () => Promise<void>): Promise<void> {
    for (const memory of [...this.#unread.values()]) {
      if (memory.org !== org) continue;
      await turn();
      this.#readOne(memory.seq);
    }
  }

  /** Whether more is left of what the last commits wrote a part of. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** The memories of an organization whose words the index does not have yet. `read` comes before it. */
  of(org: number): MemoryTerms[] {
    return [...this.#waiting.values()].filter((memory) => memory.org === org);
  }

  stage(change: TermsChange): void {
    this.#current.push(change);
  }

  unitKept(): void {
    this.#kept.push(...this.#current);
    this.#current = [];
  }

  unitDropped(): void {
    this.#current = [];
  }

  /** Writes into the open transaction what has to go with it, and a part of the backlog if that is large. */
  async beforeCommit(): Promise<void> {
    const isDue = !this.#written && (this.#isDraining || this.#sizeOfBacklog() >= WRITTEN_TOGETHER);
    await this.#writeSome(isDue ? this.#charactersDue() : 0);
  }

  /** Writes all that waits into the open transaction. */
  writeAll(): Promise<void> {
    return this.#writeSome(Number.POSITIVE_INFINITY);
  }

  /**
   * Merges a part of the index within the open transaction. Words that only removed memories have go when all parts
   * are merged into one.
   *
   * @param isFirst makes all parts of the index one merge
   * @returns false when nothing is left to merge
   */
  async mergeOn(isFirst: boolean): Promise<boolean> {
    for (let time = 0; time < MERGES_TOGETHER; time += 1) {
      await this.#yielder.breathe();
      const before = this.#changes();
      const pages = isFirst && time === 0 ? -MERGED_PAGES : MERGED_PAGES;
      this.#connection.run("INSERT INTO keywords (keywords, rank) VALUES ('merge', ?)", pages);
      // The engine counts the order itself as one change.
      if (pages > 0 && this.#changes() - before < 2) return false;
    }
    return true;
  }

  #changes(): number {
    return this.#connection.get<{ changes: number }>('SELECT total_changes() AS changes')?.changes ?? 0;
  }

  committed(): void {
    if (this.#written) {
      this.#indexedTo = this.#written.indexedTo;
      for (const seqs of [this.#waiting, this.#unread]) {
        for (const seq of [...seqs.keys()]) if (seq <= this.#indexedTo) seqs.delete(seq);
      }
    }
    for (const change of this.#kept) if (change.seq > this.#indexedTo) this.#await(change);
    if (this.#written) this.#isDraining = this.#waiting.size + this.#unread.size > 0;
    this.abandoned();
  }

  #await({ terms, ...memory }: TermsChange): void {
    if (terms) this.#waiting.set(memory.seq, { ...memory, terms });
    else this.#waiting.delete(memory.seq);
    this.#unread.delete(memory.seq);
  }

  abandoned(): void {
    this.#kept = [];
    this.#current = [];
    this.#written = undefined;
  }

  /** Writes changed contents, and of the backlog the oldest until it has written `characters`. */
  async #writeSome(characters: number): Promise<void> {
    const indexedTo = this.#written?.indexedTo ?? this.#indexedTo;
    const fresh = new Map(this.#kept.filter(({ seq }) => seq > indexedTo).map((memory) => [memory.seq, memory]));
    let ofChanged = 0;
    for (const memory of this.#kept) if (memory.seq <= indexedTo) ofChanged += await this.#write(memory);
    let ofBacklog = 0;
    const backlog = characters > 0 ? this.#seqsOfBacklog(fresh).filter((seq) => seq > indexedTo) : [];
    for (const seq of backlog) {
      if (ofBacklog >= characters) break;
      const memory = fresh.get(seq) ?? this.#read(seq);
      if (!memory) continue;
      ofBacklog += await this.#write(memory);
      this.#written = { indexedTo: seq };
    }
    if (this.#written) this.#connection.run('UPDATE keyword_state SET seq = ?', this.#written.indexedTo);
    await this.#merge(Math.ceil((ofChanged + ofBacklog) / CHARACTERS_MERGED));
  }

  #seqsOfBacklog(fresh: ReadonlyMap<number, unknown>): number[] {
    const seqs = new Set([...this.#unread.keys(), ...this.#waiting.keys(), ...fresh.keys()]);
    return [...seqs].sort((a, b) => a - b);
  }

  #sizeOfBacklog(): number {
    const fresh = new Set(this.#kept.map(({ seq }) => seq).filter((seq) => seq > this.#indexedTo));
    for (const seq of fresh) if (this.#waiting.has(seq) || this.#unread.has(seq)) fresh.delete(seq);
    return this.#unread.size + this.#waiting.size + fresh.size;
  }

  #charactersDue(): number {
    let characters = 0;
    for (const { terms } of this.#waiting.values()) characters += terms.length * CHARACTERS_PER_TERM;
    return Math.max(CHARACTERS_WRITTEN, characters * SHARE_WRITTEN);
  }

  /** Leaves most of the time to others, and the process free to end. */
  async #readBitByBit(): Promise<void> {
    let rest = FIRST_READING_MS;
    for (const seq of [...this.#unread.keys()]) {
      await setTimeout(rest, undefined, { ref: false });
      const from = performance.now();
      this.#readOne(seq);
      rest = (performance.now() - from) / READING_SHARE;
    }
  }

  /** Nothing where it was read, or written over, meanwhile. */
  #readOne(seq: number): void {
    const memory = this.#unread.get(seq);
    if (!memory) return;
    this.#unread.delete(seq);
    this.#waiting.set(seq, { org: memory.org, seq, terms: termsOf(memory.content) });
  }

  #read(seq: number): MemoryTerms | undefined {
    this.#readOne(seq);
    return this.#waiting.get(seq);
  }

  /** Returns how many characters of words that were. */
  async #write({ org, seq, terms }: TermsChange): Promise<number> {
    await this.#yielder.breathe();
    if (!terms) {
      this.#connection.run('DELETE FROM keywords WHERE rowid = ?', seq);
      return 0;
    }
    const text = terms.map((term) => indexedTerm(org, term)).join(' ');
    this.#connection.run('INSERT OR REPLACE INTO keywords (rowid, terms) VALUES (?, ?)', seq, text);
    return text.length;
  }

  /** Does what the engine would do by itself, more of it at once than others should wait for. */
  async #merge(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      await this.#yielder.breathe();
      this.#connection.run("INSERT INTO keywords (keywords, rank) VALUES ('merge', ?)", MERGED_PAGES);
    }
  }
}
