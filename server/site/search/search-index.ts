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
  /** Word of the text → how often it occurs. */
  counts: ReadonlyMap<string, number>;
  /** Number of words of the text. */
  length: number;
  heading: ReadonlySet<string>;
  page: ReadonlySet<string>;
}

/** The usual parameters of BM25, which ranks texts by their words. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** Weights of a word in a heading and in the title of a page. A word in the text counts at most 2.2. */
const HEADING_WEIGHT = 3;
const PAGE_WEIGHT = 1.5;
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
  readonly #meanLength: number;

  constructor(entries: readonly IndexEntry[]) {
    this.#indexed = entries.map(indexedOf);
    this.#meanLength = this.#indexed.reduce((sum, { length }) => sum + length, 1) / entries.length;
    for (const { counts, heading, page } of this.#indexed) {
      for (const word of new Set([...counts.keys(), ...heading, ...page])) {
        this.#frequencies.set(word, (this.#frequencies.get(word) ?? 0) + 1);
      }
    }
  }

  /** Returns the entries that match a query, best first. An entry that lacks a word of the query counts far less. */
  find(query: string, limit: number): Hit[] {
    const words = [...new Set(wordsOf(query))];
    const matches = words.map((word) => this.#matchesOf(word));
    return this.#indexed
      .map((indexed) => {
        const scores = matches.map((match) => this.#score(match, indexed)).filter((score) => score > 0);
        const share = scores.length / words.length;
        return { entry: indexed.entry, score: share * share * scores.reduce((sum, score) => sum + score, 0) };
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

  #score(matches: ReadonlyMap<string, number>, { counts, length, heading, page }: Indexed): number {
    const saturation = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / this.#meanLength);
    let best = 0;
    for (const [word, share] of matches) {
      const count = counts.get(word) ?? 0;
      const inText = (count * (SATURATION + 1)) / (count + saturation);
      const places = inText + (heading.has(word) ? HEADING_WEIGHT : 0) + (page.has(word) ? PAGE_WEIGHT : 0);
      const rarity = Math.log(1 + this.#indexed.length / (this.#frequencies.get(word) ?? 1));
      best = Math.max(best, share * rarity * places);
    }
    return best;
  }
}

function indexedOf(entry: IndexEntry): Indexed {
  const words = wordsOf(entry.text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const [heading, page] = [new Set(wordsOf(entry.heading)), new Set(wordsOf(entry.page))];
  return { entry, counts, length: words.length, heading, page };
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
