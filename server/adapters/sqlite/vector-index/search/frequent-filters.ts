import type { VectorQuery } from '../../../../ports/memory-reader.js';

const MAX_FILTERS = 64;
/** Number of searches after which the rows of a filter are counted again. */
const SEARCHES = 64;
/** Number of checked candidates from which their share is known well enough. */
const MIN_CHECKED = 32;

/** A filter that matched too many rows to read them all. */
export class FrequentFilter {
  #left = SEARCHES;
  #checked = 0;
  #matched = 0;

  /** Share of the candidates of searches before that matched. Undefined until it is known. */
  get share(): number | undefined {
    return this.#checked < MIN_CHECKED ? undefined : this.#matched / this.#checked;
  }

  /** Notes how many of some candidates matched. */
  learn(checked: number, matched: number): void {
    this.#checked += checked;
    this.#matched += matched;
  }

  /** Counts a search. Returns false if it was the last one before the rows are counted again. */
  use(): boolean {
    this.#left -= 1;
    return this.#left > 0;
  }
}

/**
 * Remembers the frequent filters of an organization. Counting the rows takes a twentieth of a search. Only the method of a
 * search depends on it: if few rows match meanwhile, the search finds them by reading more candidates.
 */
export class FrequentFilters {
  readonly #filters = new Map<string, FrequentFilter>();

  /** Returns the filter of a search if it is remembered, and counts the search. */
  use(query: Pick<VectorQuery, 'filter' | 'includeDeleted'>): FrequentFilter | undefined {
    const key = keyOf(query);
    const known = this.#filters.get(key);
    if (known?.use() === false) this.#filters.delete(key);
    return known;
  }

  add(query: Pick<VectorQuery, 'filter' | 'includeDeleted'>): FrequentFilter {
    if (this.#filters.size >= MAX_FILTERS) this.#filters.clear();
    const added = new FrequentFilter();
    this.#filters.set(keyOf(query), added);
    return added;
  }
}

function keyOf({ filter, includeDeleted }: Pick<VectorQuery, 'filter' | 'includeDeleted'>): string {
  return JSON.stringify([filter, includeDeleted]);
}
