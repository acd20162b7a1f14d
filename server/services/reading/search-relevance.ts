import { type RelevanceCurve, relevanceOf, sameTextAs, similarityFor } from '../../domain/retrieval/relevance.js';
import type { SearchMatch } from './search-modes.js';

/** The relevance of memories for a query, and its minimum. */
export class Relevance {
  readonly #isSameText: (content: string) => boolean;
  readonly #curve: RelevanceCurve;
  /** In [0, 1]. */
  readonly min: number;

  constructor(query: string, curve: RelevanceCurve, min = 0) {
    this.#isSameText = sameTextAs(query);
    this.#curve = curve;
    this.min = min;
  }

  /** Minimum similarity of a memory that has another text than the query. */
  get minSimilarity(): number {
    return similarityFor(this.#curve, this.min);
  }

  of({ memory, similarity = 0 }: Pick<SearchMatch, 'memory' | 'similarity'>): number {
    return this.isSame({ memory }) ? 1 : relevanceOf(this.#curve, similarity);
  }

  /** Reports if a memory has the text of the query. Its relevance is 1, whatever its similarity. */
  isSame({ memory }: Pick<SearchMatch, 'memory'>): boolean {
    return this.#isSameText(memory.content);
  }

  isEnough(match: Pick<SearchMatch, 'memory' | 'similarity'>): boolean {
    return this.min === 0 || this.of(match) >= this.min;
  }
}
