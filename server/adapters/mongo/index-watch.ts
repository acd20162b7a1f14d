import { setTimeout as wait } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { SearchIndexState } from '../../ports/store.js';
import type { MemoryDocument } from './engine/collections.js';
import { Canaries, type CanaryIndex, type IndexedWords } from './search-index/canaries.js';
import { BEGINNING_OF_TIME, type IndexStates, type IndexView } from './search-index/index-state.js';
import { type Listed, listSearchIndexes } from './search-index/search-indexes.js';
import { vectorIndexes } from './vector-index/vector-index.js';

/** Interval of the canaries while the process searches, and while it does not. */
const BUSY_INTERVAL_MS = 5_000;
const IDLE_INTERVAL_MS = 30_000;
/** Time after the last search from which a process counts as idle. */
const IDLE_AFTER_MS = 60_000;
/** Interval while no canary has been seen in some index. */
const FIRST_INTERVAL_MS = 1_000;
const STATUS_INTERVAL_MS = 30_000;
/**
 * Time before a canary at which changes count as included. A change may be committed this long after its time was taken,
 * and the clocks of the servers may differ.
 */
export const MARGIN_MS = 30_000;

type Watched = CanaryIndex & {
  isQueryable: boolean;
  /** Time of the newest canary that the index included. */
  seen?: Date;
};

/** A check of an index that searches share. */
interface Check {
  since: Date;
  result: Promise<boolean>;
}

/** Watches the search indexes of a database with canaries. */
export class IndexWatch implements IndexStates {
  readonly #memories: Collection<MemoryDocument>;
  readonly #canaries: Canaries;
  readonly #words: IndexedWords | undefined;
  readonly #watched = new Map<string, Watched>();
  /** Names of the indexes that searches have asked for. */
  readonly #searched = new Set<string>();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Check>();
  readonly #stopping = new AbortController();
  #statusAt = Number.NEGATIVE_INFINITY;
  #searchedAt = Number.NEGATIVE_INFINITY;
  #firstBeat: Promise<void> | undefined;
  #loop: Promise<void> | undefined;

  /** @param words the search index of words, if searches use it */
  constructor(memories: Collection<MemoryDocument>, words?: IndexedWords) {
    this.#memories = memories;
    this.#words = words;
    this.#canaries = new Canaries(memories);
  }

  /** Begins to watch. A failure is repeated at the next interval. */
  start(): void {
    this.#loop ??= this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async view(name: string): Promise<IndexView | undefined> {
    this.#searchedAt = performance.now();
    this.#firstBeat ??= this.beat();
    await this.#firstBeat.catch(() => {});
    this.#searched.add(name);
    if (!this.#watched.get(name)?.isQueryable) await this.#searchFor();
    const index = this.#watched.get(name);
    if (!index?.isQueryable || !index.seen) return undefined;
    const { seen } = index;
    const isQuantized = 'isQuantized' in index && index.isQuantized;
    return { settledBefore: new Date(seen.getTime() - MARGIN_MS), seen, isQuantized };
  }

  async confirm(name: string, { seen }: IndexView): Promise<boolean> {
    const index = this.#watched.get(name);
    if (!index || !seen) return false;
    const next = this.#next.get(name);
    if (next) {
      if (seen > next.since) next.since = seen;
      return next.result;
    }
    const check: Check = { since: seen, result: Promise.resolve(false) };
    check.result = this.#confirmAfter(this.#running.get(name), index, check);
    this.#next.set(name, check);
    return check.result;
  }

  states(): readonly SearchIndexState[] {
    return [...this.#watched.values()].map(({ name, isQueryable, seen }) => ({
      name,
      isQueryable,
      lagMs: seen && Math.max(0, Date.now() - seen.getTime()),
    }));
  }

  /** Writes a canary, and looks for the newest one in each index. */
  async beat(): Promise<void> {
    const now = new Date();
    if (performance.now() >= this.#statusAt + STATUS_INTERVAL_MS || this.#watched.size === 0) {
      await this.#readStatus();
      await this.#canaries.removeOld(now);
    }
    const indexes = [...this.#watched.values()];
    if (indexes.length === 0) return;
    await this.#canaries.write(now, BUSY_INTERVAL_MS, indexes);
    await Promise.all(indexes.filter(({ isQueryable }) => isQueryable).map((index) => this.#look(index)));
  }

  async #confirmAfter(running: Promise<unknown> | undefined, index: Watched, check: Check): Promise<boolean> {
    await running;
    // From now on, searches that end need another check.
    this.#next.delete(index.name);
    const looking = this.#canaries.newestIn(index, check.since);
    this.#running.set(
      index.name,
      looking.catch(() => {}),
    );
    const isIncluded = (await looking) !== undefined;
    if (!isIncluded) delete index.seen;
    return isIncluded;
  }

  async #look(index: Watched): Promise<void> {
    const newest = await this.#canaries.newestIn(index, index.seen ?? BEGINNING_OF_TIME);
    if (newest) index.seen = newest;
    else delete index.seen;
  }

  /** Looks for an index that could not be searched, since it may have been built meanwhile. */
  async #searchFor(): Promise<void> {
    if (performance.now() < this.#statusAt + FIRST_INTERVAL_MS) return;
    this.#statusAt = Number.NEGATIVE_INFINITY;
    await this.beat().catch(() => {});
  }

  /** Reads which indexes there are, and if they can be searched. */
  async #readStatus(): Promise<void> {
    const listed = this.#searchedOf(await listSearchIndexes(this.#memories));
    const names = new Set(listed.map(({ name }) => name));
    for (const [name, index] of this.#watched) {
      if (names.has(name)) continue;
      // An index that searches need stays, so that operators see that it is gone.
      if (this.#searched.has(name)) index.isQueryable = false;
      else this.#watched.delete(name);
    }
    for (const index of listed) {
      const known = this.#watched.get(index.name);
      if (known) Object.assign(known, index);
      else this.#watched.set(index.name, index);
    }
    this.#statusAt = performance.now();
  }

  /** Returns the indexes that searches may use. */
  #searchedOf(listed: readonly Listed[]): Watched[] {
    const words = this.#words && listed.find(({ name }) => name === this.#words?.name);
    return [
      ...vectorIndexes(listed),
      ...(this.#words && words ? [{ ...this.#words, isQueryable: words.queryable === true }] : []),
    ];
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    this.#firstBeat ??= this.beat();
    let beat = this.#firstBeat;
    for (;;) {
      // An earlier canary stays valid after a failure, since every search confirms it.
      await beat.catch(() => {});
      await wait(this.#interval(), undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      beat = this.beat();
    }
  }

  #interval(): number {
    const indexes = [...this.#watched.values()];
    if (indexes.length === 0 || indexes.some(({ seen, isQueryable }) => isQueryable && !seen)) return FIRST_INTERVAL_MS;
    return performance.now() - this.#searchedAt > IDLE_AFTER_MS ? IDLE_INTERVAL_MS : BUSY_INTERVAL_MS;
  }
}
