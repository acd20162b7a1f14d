import type { Document } from 'mongodb';
import type { ReadScope } from '../../../ports/memory-reader.js';
import type { Collections } from '../engine/collections.js';
import type { ReadOptions } from '../engine/read-options.js';
import { bestByTerms, type RankedFields, type RankedRead } from './rank-by-terms.js';
import type { WordSource } from './word-source.js';

/** Words that one query counts. The time to plan the query grows faster than this number. */
export const COUNT_BATCH_SIZE = 32;

export interface CountedTerm {
  term: string;
  number: number;
}

/** Finds memories by the database's own index of words. */
export class OwnWords implements WordSource {
  readonly #memories: Collections['memories'];
  readonly #org: string;
  readonly #maxRanked: number;
  readonly #options: ReadOptions;

  /** @param maxRanked number of memories at which counting a word ends */
  constructor(memories: Collections['memories'], org: string, maxRanked: number, options: ReadOptions) {
    this.#memories = memories;
    this.#org = org;
    this.#maxRanked = maxRanked;
    this.#options = options;
  }

  async count(terms: readonly string[]): Promise<Map<string, number>> {
    const numbers = new Map(terms.map((term) => [term, 0]));
    for (const part of batches(terms)) {
      const batchSize = COUNT_BATCH_SIZE + 1;
      const counted = this.#memories.aggregate<CountedTerm>(this.#counting(part), { batchSize, ...this.#options });
      for (const { term, number } of await counted.toArray()) numbers.set(term, number);
    }
    return numbers;
  }

  async best<Fields extends RankedFields>(scope: ReadScope, read: RankedRead): Promise<Fields[]> {
    return bestByTerms(this.#memories, this.#org, scope, read);
  }

  async confirm(): Promise<void> {}

  /** Returns a pipeline that counts the memories of each word. */
  #counting(terms: readonly string[]): Document[] {
    const counts = terms.map((term) => [
      { $match: { org: this.#org, terms: term } },
      { $limit: this.#maxRanked },
      // The index has this field, so the database counts without reading memories.
      { $project: { _id: 0, org: 1 } },
      { $count: 'number' },
      // A literal, so that a word is never evaluated as an expression.
      { $set: { term: { $literal: term } } },
    ]);
    return unionOf(this.#memories, counts);
  }
}

/** Splits words into batches. They run one after the other, so that a search uses one connection. */
export function batches(terms: readonly string[]): string[][] {
  const count = Math.ceil(terms.length / COUNT_BATCH_SIZE);
  return Array.from({ length: count }, (_, n) => terms.slice(n * COUNT_BATCH_SIZE, (n + 1) * COUNT_BATCH_SIZE));
}

/** Returns a pipeline with the results of several. */
export function unionOf(memories: Collections['memories'], [first = [], ...others]: readonly Document[][]): Document[] {
  return [...first, ...others.map((pipeline) => ({ $unionWith: { coll: memories.collectionName, pipeline } }))];
}
