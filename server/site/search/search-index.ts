/** The part of a page below one heading, as the index of the site lists it. */
export interface IndexEntry {
  /** Title of the page. */
  page: string;
  /** Page and anchor. */
  address: string;
  /** Heading of the part; equal to `page` for the part below the title. */
  heading: string;
  text: string;
}

export interface Hit {
  entry: IndexEntry;
  /** A piece of its text around the longest word of the query. */
  excerpt: string;
}

interface Indexed {
  entry: IndexEntry;
  weights: ReadonlyMap<string, number>;
}

const TITLE_WEIGHT = 4;
const HEADING_WEIGHT = 6;
/** A word that only begins with a word of the query counts less than the word itself. */
const PREFIX_WEIGHT = 0.5;
/** Endings of this length are ignored in longer words, so that `webhooks` finds `webhook`. */
const MAX_ENDING = 2;
const MIN_STEM = 4;
const EXCERPT_BEFORE = 40;
const EXCERPT_LENGTH = 160;

/** Finds parts of pages by their words. */
export class SearchIndex {
  readonly #indexed: readonly Indexed[];
  /** Word → how many entries have it. */
  readonly #frequencies = new Map<string, number>();

  constructor(entries: readonly IndexEntry[]) {
    this.#indexed = entries.map((entry) => ({ entry, weights: weightsOf(entry) }));
    for (const { weights } of this.#indexed) {
      for (const word of weights.keys()) this.#frequencies.set(word, (this.#frequencies.get(word) ?? 0) + 1);
    }
  }

  /** Returns the entries that match a query, best first. An entry that lacks a word of the query counts far less. */
  find(query: string, limit: number): Hit[] {
    const words = [...new Set(wordsOf(query))];
    const matches = words.map((word) => this.#matchesOf(word));
    return this.#indexed
      .map(({ entry, weights }) => {
        const scores = matches.map((match) => this.#score(match, weights)).filter((score) => score > 0);
        const share = scores.length / words.length;
        return { entry, score: share * share * scores.reduce((sum, score) => sum + score, 0) };
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, limit)
      .map(({ entry }) => ({ entry, excerpt: excerptOf(entry.text, words) }));
  }

  /** Returns the words of the index that a word of the query means → how much each counts. */
  #matchesOf(word: string): ReadonlyMap<string, number> {
    const matches = new Map<string, number>();
    for (const known of this.#frequencies.keys()) {
      if (known === word) matches.set(known, 1);
      else if (known.startsWith(word) || isStemOf(known, word)) matches.set(known, PREFIX_WEIGHT);
    }
    return matches;
  }

  #score(matches: ReadonlyMap<string, number>, weights: ReadonlyMap<string, number>): number {
    let best = 0;
    for (const [word, share] of matches) {
      const weight = weights.get(word);
      if (weight === undefined) continue;
      const rarity = Math.log(1 + this.#indexed.length / (this.#frequencies.get(word) ?? 1));
      best = Math.max(best, share * rarity * (weight / (weight + 1)) * 2 + share * Math.min(weight, 12) * 0.2);
    }
    return best;
  }
}

function weightsOf({ page, heading, text }: IndexEntry): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (words: readonly string[], weight: number) => {
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(wordsOf(text), 1);
  add([...new Set(wordsOf(heading))], HEADING_WEIGHT);
  if (page !== heading) add([...new Set(wordsOf(page))], TITLE_WEIGHT);
  return weights;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function isStemOf(stem: string, word: string): boolean {
  return stem.length >= MIN_STEM && word.length - stem.length <= MAX_ENDING && word.startsWith(stem);
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  // A long word says more than a short one.
  const longest = words.filter((word) => lower.includes(word)).sort((one, other) => other.length - one.length)[0];
  const first = longest === undefined ? 0 : lower.indexOf(longest);
  const start = first <= EXCERPT_BEFORE ? 0 : text.indexOf(' ', first - EXCERPT_BEFORE) + 1;
  const piece = text.slice(start, start + EXCERPT_LENGTH);
  return `${start > 0 ? '…' : ''}${piece}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}
