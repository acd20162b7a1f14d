import type { EmbeddingPurpose } from '../../../ports/embedder.js';
import { nextHash, placeOf, signOf } from './hash.js';
import { type KnownWord, knowWord } from './known-words.js';
import { splitWords } from './word-pieces.js';
import type { WordTable } from './word-table.js';

/** Longer words are data; the table would spell them out. */
const MAX_WORD_LENGTH = 32;
/** UTF-16 code units that are read of a text: the first. The mean of more words tells little. */
const MAX_READ_LENGTH = 20_000;
/** Normalizing takes longer than in proportion to a run of marks, so that runs are cut. */
const MAX_RUN_LENGTH = 256;

/** Dimensions kept for the echo: one in this many. */
const ECHO_SHARE = 8;
/** Length of a document's echo, where one rare word has length 1. */
const ECHO_LENGTH = 2;

const RUN = /\S+/g;
/** Text that is split as `splitWords` does, but for the signs: most of all. */
const PLAIN = /^[\t\n\r -~]*$/;
const PLAIN_TOKEN = /[a-z0-9]+|'/g;
const HAS_WORD = /[\p{L}\p{N}]/u;
/** The table was taught English. */
const READABLE = /^[a-z0-9]+$/;
const APOSTROPHE = /^['’]$/;
const CLITICS = new Set(['s', 't', 're', 've', 'll', 'd', 'm']);

/** The part of a word in the meaning of a text. */
export interface WordMeaning {
  /** Dimensions that `scale` is of. */
  readonly size: number;
  /** How much the word tells about a text, from 0 to 1. */
  readonly weight: number;
  /** Rows of the table; empty for a word that it has no vector for. */
  readonly rows: readonly number[];
  /** Makes the length of the word's vector 1. */
  readonly scale: number;
}

/** The meaning of a text. */
interface Meaning {
  /** A vector of length 1, or of length 0 if no word is known. */
  vector: Float64Array;
  /** How much of the text the vector stands for, from 0 to 1. */
  share: number;
}

/**
 * The meaning of texts: the mean of the vectors of their words, each of length 1 and weighted by how much it tells.
 * Function words do not count. Words of other languages than English only lower the share.
 *
 * A document carries an echo of its vector in dimensions that a query leaves empty, like its terms do (see
 * `Projection`). It takes most from documents of few words, which say too little to be the best answer.
 */
export class Meanings {
  private readonly size: number;
  constructor(
    private readonly table: WordTable,
    private readonly dimensions: number,
  ) {
    const size = Math.min(table.dimensions, dimensions - Math.floor(dimensions / ECHO_SHARE));
    // The table has two dimensions to a byte.
    this.size = size - (size % 2);
  }

  read(text: string, purpose: EmbeddingPurpose): Meaning {
    let known = 0;
    let unknown = 0;
    for (const { word, count } of this.knowAll(text)) {
      const { weight, rows, scale } = word;
      const telling = weight * weight * count;
      if (scale === 0) {
        unknown += telling;
        continue;
      }
      known += telling;
      if (weight > 0) this.table.add(rows, weight * Math.sqrt(count) * scale);
    }
    const sum = this.table.takeSum(this.size);
    const vector = new Float64Array(this.dimensions);
    const length = lengthOf(sum);
    if (length === 0) return { vector, share: 0 };
    const echo = purpose === 'document' ? ECHO_LENGTH : 0;
    const whole = Math.sqrt(known + echo * echo);
    const content = Math.sqrt(known) / (whole * length);
    for (let index = 0; index < sum.length; index++) vector[index] = (sum[index] ?? 0) * content;
    if (echo > 0) this.writeEcho(vector, sum, echo / whole);
    return { vector, share: Math.sqrt(known / (known + unknown)) };
  }

  /** Knows all words of a text before one is added, since knowing a new word uses the sum of the table. */
  private knowAll(text: string): { word: WordMeaning; count: number }[] {
    return Array.from(countWords(text), ([word, count]) => ({ word: this.know(word), count }));
  }

  private know(word: string): WordMeaning {
    const known = knowWord(word);
    if (known.meaning?.size !== this.size) known.meaning = this.newMeaning(known);
    return known.meaning;
  }

  private newMeaning({ text, weight, isFunctionWord }: KnownWord): WordMeaning {
    const { size } = this;
    if (isFunctionWord) return { size, weight: 0, rows: [], scale: 0 };
    const rows = READABLE.test(text) && text.length <= MAX_WORD_LENGTH ? this.table.rowsOf(text) : [];
    this.table.add(rows, 1);
    const length = lengthOf(this.table.takeSum(size));
    // To the power of 3/4, by roots: they give the same bits everywhere.
    const ofMeaning = Math.sqrt(weight) * Math.sqrt(Math.sqrt(weight));
    return { size, weight: ofMeaning, rows, scale: length === 0 ? 0 : 1 / length };
  }

  /** Folds the vector into the dimensions that are left, as a vector of a given length. */
  private writeEcho(vector: Float64Array, sum: Float64Array, length: number): void {
    const echo = new Float64Array(this.dimensions - this.size);
    for (let index = 0; index < sum.length; index++) {
      const hash = nextHash(index);
      const place = placeOf(hash, echo.length);
      echo[place] = (echo[place] ?? 0) + signOf(hash) * (sum[index] ?? 0);
    }
    const folded = lengthOf(echo);
    if (folded === 0) {
      vector[this.size] = length;
      return;
    }
    for (let index = 0; index < echo.length; index++) {
      vector[this.size + index] = ((echo[index] ?? 0) * length) / folded;
    }
  }
}

/** The distinct words of a text in their order, and how often it has them. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const tokens of tokensOf(text.slice(0, MAX_READ_LENGTH))) {
    for (const [at, token] of tokens.entries()) {
      if (HAS_WORD.test(token) && !isContracted(tokens, at)) counts.set(token, (counts.get(token) ?? 0) + 1);
    }
  }
  return counts;
}

/** The words of a text and at least the apostrophes, in lists that no word spans. */
function* tokensOf(text: string): Generator<string[]> {
  if (PLAIN.test(text)) {
    yield text.toLowerCase().match(PLAIN_TOKEN) ?? [];
    return;
  }
  for (const [run] of text.matchAll(RUN)) {
    for (let start = 0; start < run.length; start += MAX_RUN_LENGTH) {
      yield splitWords(run.slice(start, start + MAX_RUN_LENGTH));
    }
  }
}

/** Reports if it is the "s" of "it's" or the "don" of "don't", which are function words. */
function isContracted(tokens: readonly string[], at: number): boolean {
  const [before = '', token = '', after = '', last] = [tokens[at - 1], tokens[at], tokens[at + 1], tokens[at + 2]];
  if (APOSTROPHE.test(before) && CLITICS.has(token)) return true;
  return token.endsWith('n') && APOSTROPHE.test(after) && last === 't';
}

function lengthOf(vector: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) {
    const value = vector[index] ?? 0;
    sum += value * value;
  }
  return Math.sqrt(sum);
}
