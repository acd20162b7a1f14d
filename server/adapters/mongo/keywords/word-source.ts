import type { ReadScope } from '../../../ports/memory-reader.js';
import type { RankedFields, RankedRead } from './rank-by-terms.js';

/** Finds the memories of one organization by their words, for one search. */
export interface WordSource {
  /** Counts the memories that have each word, up to a bound. */
  count(terms: readonly string[]): Promise<Map<string, number>>;
  /** Returns the memories with any of the terms that score best, best first. */
  best<Fields extends RankedFields>(scope: ReadScope, read: RankedRead): Promise<Fields[]>;
  /** @throws {IndexUnusableError} if earlier results may lack memories */
  confirm(): Promise<void>;
}
