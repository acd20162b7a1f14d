import { stemmer } from 'stemmer';

/** The usual constants. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

const WORD = /[\p{L}\p{N}]+/gu;

/** BM25 as in the textbook, over Porter stems: what a search has to be better than. */
export class Bm25 {
  private readonly documents: { key: string; length: number; counts: ReadonlyMap<string, number> }[];
  private readonly having = new Map<string, number>();
  private readonly averageLength: number;

  constructor(texts: ReadonlyMap<string, string>) {
    this.documents = Array.from(texts, ([key, text]) => {
      const stems = stemsOf(text);
      return { key, length: stems.length, counts: countsOf(stems) };
    });
    for (const { counts } of this.documents) {
      for (const stem of counts.keys()) this.having.set(stem, (this.having.get(stem) ?? 0) + 1);
    }
    this.averageLength = this.documents.reduce((sum, { length }) => sum + length, 0) / this.documents.length;
  }

  /** Keys of at most `limit` documents that share a stem with the query, best first. */
  search(query: string, limit: number): string[] {
    const stems = [...new Set(stemsOf(query))];
    return this.documents
      .map(({ key, length, counts }) => ({
        key,
        score: stems.reduce((sum, stem) => sum + this.weight(stem, counts.get(stem) ?? 0, length), 0),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ key }) => key);
  }

  private weight(stem: string, times: number, length: number): number {
    const having = this.having.get(stem) ?? 0;
    const rarity = Math.log(1 + (this.documents.length - having + 0.5) / (having + 0.5));
    const lengthFactor = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / this.averageLength;
    return (rarity * times * (SATURATION + 1)) / (times + SATURATION * lengthFactor);
  }
}

function stemsOf(text: string): string[] {
  return (text.toLowerCase().match(WORD) ?? []).map(stemmer);
}

function countsOf(stems: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}
