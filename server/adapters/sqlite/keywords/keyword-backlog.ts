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

/** The new words of a memory, or undefined if it was purged. */
type TermsChange = Omit<MemoryTerms, 'terms'> & { terms: MemoryTerms['terms'] | undefined };

/** A memory whose content is not split into words yet. */
interface UnreadMemory {
  org: number;
  seq: number;
  content: string;
}

/**
 * Size at which the backlog is written. Writing this many contents into the
 * index costs little more than writing one: each write creates a segment, and
 * segments are merged repeatedly.
 */
const MIN_WRITTEN_MEMORIES = 64;
/**
 * Number of characters of words that one commit writes, in some 15 ms, while others wait. If a share of the backlog is
 * more than that, the commit writes the share. So the backlog has an upper bound at any write rate.
 */
const WRITTEN_CHARACTERS = 100_000;
const WRITTEN_SHARE = 1 / 64;
/** Typical length of a word in the index, including the organization. */
const CHARACTERS_PER_TERM = 8;

/** Maximum number of merges per unit while the whole index is merged. */
const MAX_MERGES = 8;

/** Number of pages that one merge writes, in two or three milliseconds. */
const MERGED_PAGES = 32;
/**
 * Number of written characters per merge. They become at most `MERGED_PAGES`
 * pages, counting that each is merged again on half a dozen levels, and that
 * the words of many organizations need twice as many pages as those of one.
 * With fewer merges, searches read more segments, and the engine would at some
 * time merge the whole rest at once. A merge without work takes hardly any time.
 */
const CHARACTERS_PER_MERGE = 27_000;

/** Share of the time for splitting the contents that waited at the start, until a search needs their words. */
const READING_SHARE = 0.1;
const FIRST_READING_MS = 100;

/**
 * Keeps contents that are not in the keyword index yet.
 *
 * The index contains the words of every memory up to a seq that is stored in
 * the database. The words of later memories are here, where searches read
 * them too. After a restart they are read again from the memories. So a write
 * need not change the index, and every search is complete.
 *
 * A restart only reads the contents. They are split into words little by
 * little afterwards, or when a search or the index needs them. So the time to
 * open the store does not depend on the kind of contents.
 */
export class KeywordBacklog {
  readonly #connection: Connection;
  readonly #yielder: Yielder;
  /** Memories that were committed before the start. */
  readonly #unread: Map<number, UnreadMemory>;
  /** Committed memories whose words are known. */
  #waiting = new Map<number, MemoryTerms>();
  /** True while commits write the rest of a backlog that was partly written. */
  #isDraining = false;
  #kept: TermsChange[] = [];
  #current: TermsChange[] = [];
  #indexedTo: number;
  /** Set if the open transaction has written into the index. */
  #written: { indexedTo: number } | undefined;

  /** @param yielder gives others a turn during long writes */
  constructor(connection: Connection, yielder: Yielder) {
    this.#connection = connection;
    this.#yielder = yielder;
    this.#indexedTo = connection.get<{ seq: number }>('SELECT seq FROM keyword_state')?.seq ?? 0;
    const sql = 'SELECT org, seq, content FROM memories WHERE seq > ? ORDER BY seq';
    const unread = connection.all<UnreadMemory>(sql, this.#indexedTo);
    this.#unread = new Map(unread.map((memory) => [memory.seq, memory]));
    if (unread.length > 0) void this.#readSlowly();
  }

  /** Number of memories from before the start that are not split into words yet. */
  get unread(): number {
    return this.#unread.size;
  }

  /**
   * Splits the waiting contents of an organization into words, so that `of` returns them.
   *
   * @param turn resolves when the next content may be split
   */
  async read(org: number, turn: () => Promise<void>): Promise<void> {
    for (const memory of [...this.#unread.values()]) {
      if (memory.org !== org) continue;
      await turn();
      this.#readOne(memory.seq);
    }
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Returns the memories of an organization whose words are not in the index yet. Call `read` before. */
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

  /** Writes the changes of indexed memories into the open transaction, and a part of the backlog if that is large. */
  async beforeCommit(): Promise<void> {
    const isDue = !this.#written && (this.#isDraining || this.#sizeOfBacklog() >= MIN_WRITTEN_MEMORIES);
    await this.#writeSome(isDue ? this.#charactersDue() : 0);
  }

  /** Writes the whole backlog into the open transaction. */
  writeAll(): Promise<void> {
    return this.#writeSome(Number.POSITIVE_INFINITY);
  }

  /**
   * Merges a part of the index within the open transaction. Words that only removed memories contained disappear when
   * all segments are merged into one.
   *
   * @param isFirst starts a merge of all segments of the index
   * @returns false if nothing is left to merge
   */
  async mergeOn(isFirst: boolean): Promise<boolean> {
    for (let time = 0; time < MAX_MERGES; time += 1) {
      await this.#yielder.breathe();
      const before = this.#changes();
      const pages = isFirst && time === 0 ? -MERGED_PAGES : MERGED_PAGES;
      this.#connection.run("INSERT INTO keywords (keywords, rank) VALUES ('merge', ?)", pages);
      // The engine counts the INSERT itself as one change.
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

  /** Writes changed contents, and the oldest of the backlog until it has written `characters`. */
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
    await this.#merge(Math.ceil((ofChanged + ofBacklog) / CHARACTERS_PER_MERGE));
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
    return Math.max(WRITTEN_CHARACTERS, characters * WRITTEN_SHARE);
  }

  /** Leaves most of the time to others, and does not keep the process alive. */
  async #readSlowly(): Promise<void> {
    let rest = FIRST_READING_MS;
    for (const seq of [...this.#unread.keys()]) {
      await setTimeout(rest, undefined, { ref: false });
      const from = performance.now();
      this.#readOne(seq);
      rest = (performance.now() - from) / READING_SHARE;
    }
  }

  /** Does nothing if the memory was read or overwritten meanwhile. */
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

  /** Returns the number of characters written. */
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

  /** Merges in small steps. Merges by the engine itself would block others for too long. */
  async #merge(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      await this.#yielder.breathe();
      this.#connection.run("INSERT INTO keywords (keywords, rank) VALUES ('merge', ?)", MERGED_PAGES);
    }
  }
}
