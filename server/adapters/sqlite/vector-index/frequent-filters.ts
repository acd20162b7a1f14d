import type { VectorQuery } from '../../../ports/memory-reader.js';

const MAX_FILTERS = 64;
/** Number of searches after which the rows of a filter are counted again. */
const SEARCHES = 64;

/**
 * Remembers filters of an organization that matched too many rows to read them all. Counting the rows takes a twentieth
 * of a search. Only the method of a search depends on it: if few rows match meanwhile, the search finds them by reading
 * more candidates.
 */
export class FrequentFilters {
  /** Number of searches for which each filter is remembered. */
  readonly #searches = new Map<string, number>();

  /** Reports if the filter of a search is remembered, and counts the search. */
  has(query: Pick<VectorQuery, 'filter' | 'includeDeleted'>): boolean {
    const key = keyOf(query);
    const left = this.#searches.get(key);
    if (left === undefined) return false;
    if (left > 1) this.#searches.set(key, left - 1);
    else this.#searches.delete(key);
    return true;
  }

  add(query: Pick<VectorQuery, 'filter' | 'includeDeleted'>): void {
    if (this.#searches.size >= MAX_FILTERS) this.#searches.clear();
    this.#searches.set(keyOf(query), SEARCHES);
  }
}

function keyOf({ filter, includeDeleted }: Pick<VectorQuery, 'filter' | 'includeDeleted'>): string {
  return JSON.stringify([filter, includeDeleted]);
}
