import type { SearchIndexState } from '../../../ports/store.js';

/** Time before every change. A search that compares all memories one by one uses it as the time of its index. */
export const BEGINNING_OF_TIME = new Date(0);
/** Time since which memories are compared one by one without counting them first. */
export const USUAL_WINDOW_MS = 180_000;

/** How far a search index includes the writes. */
export interface IndexView {
  /** The index includes every change before this time. */
  settledBefore: Date;
  /** Time of a canary that the index includes. Absent if the view needs no confirmation. */
  seen?: Date;
  /** True if the similarities of the index are approximate. */
  isQuantized?: boolean;
}

/** Knows which memories the search indexes of a database include. */
export interface IndexStates {
  /** Returns undefined if searches cannot use the index. */
  view(name: string): Promise<IndexView | undefined>;
  /**
   * Reports if the index still includes everything that a view promised. Call it after the search: an index that was
   * dropped or built again answers with too few results and no error.
   */
  confirm(name: string, view: IndexView): Promise<boolean>;
  states(): readonly SearchIndexState[];
  stop(): Promise<void>;
}

/** Indexes that include every write after a fixed time. */
export class FixedLag implements IndexStates {
  readonly #names: ReadonlySet<string>;
  readonly #lagMs: number;

  constructor(names: ReadonlySet<string>, lagMs: number) {
    this.#names = names;
    this.#lagMs = lagMs;
  }

  async view(name: string): Promise<IndexView | undefined> {
    return this.#names.has(name) ? { settledBefore: new Date(Date.now() - this.#lagMs) } : undefined;
  }

  async confirm(): Promise<boolean> {
    return true;
  }

  states(): readonly SearchIndexState[] {
    return [...this.#names].map((name) => ({ name, isQueryable: true, lagMs: this.#lagMs }));
  }

  async stop(): Promise<void> {}
}
