import type { EmbeddingPurpose } from '../../../ports/embedder.js';
import { hashText, nextHash, placeOf, signOf } from './hash.js';
import type { Term } from './terms.js';

const GRAM_SALT = 4;
const GRAM_LENGTHS = [3, 4];
/** Share of a word's weight that its spelling carries; the rest is the word itself. */
const GRAM_WEIGHT = 0.6;
/** How fast a repeated term stops counting: twice counts 1.4 times, and no number of times more than 2.2. */
const SATURATION = 1.2;
/** Dimensions kept for the echo: one in this many. */
const ECHO_SHARE = 8;
/** Length of a document's echo, where one rare word has length 1. */
const ECHO_LENGTH = 2;

/**
 * Writes terms into vectors of a fixed number of dimensions.
 *
 * Each term goes to a few dimensions that its hash picks, with signs that its
 * hash picks, so that different terms cancel out on average.
 *
 * A document carries an echo besides: its own content folded into dimensions
 * that a query leaves empty. The echo has the same length in every document,
 * so it takes most from short ones, which would otherwise be the best answer
 * to any question that names one of their few words. Between two documents
 * echo and content agree, so their cosine stays what it was.
 */
export class Projection {
  private readonly contentSize: number;
  private readonly echoPlaces: Int32Array;
  private readonly echoSigns: Int8Array;
  /** Buffer for the sums of a vector. Cleared for each text. */
  private readonly scratch: Float64Array;

  constructor(private readonly dimensions: number) {
    const echoSize = Math.floor(dimensions / ECHO_SHARE);
    this.contentSize = dimensions - echoSize;
    this.echoPlaces = new Int32Array(this.contentSize);
    this.echoSigns = new Int8Array(this.contentSize);
    this.scratch = new Float64Array(dimensions);
    for (let index = 0; index < this.contentSize; index++) {
      const hash = nextHash(index);
      this.echoPlaces[index] = this.contentSize + placeOf(hash, echoSize);
      this.echoSigns[index] = signOf(hash);
    }
  }

  /** The terms as a vector of length 1. There must be at least one term. */
  project(terms: readonly Term[], purpose: EmbeddingPurpose): Float32Array {
    const vector = this.scratch.fill(0);
    for (const term of terms) this.writeTerm(vector, term, purpose);
    const first = terms[0];
    // Terms may cancel each other out entirely; one alone cannot.
    if (first && lengthOf(vector, 0, this.contentSize) === 0) this.write(vector, first.hash, 1, 1);
    if (purpose === 'document') this.writeEcho(vector);
    const length = lengthOf(vector, 0, this.dimensions);
    const unit = new Float32Array(this.dimensions);
    for (let index = 0; index < unit.length; index++) unit[index] = (vector[index] ?? 0) / length;
    return unit;
  }

  private writeTerm(vector: Float64Array, term: Term, purpose: EmbeddingPurpose): void {
    const { hash, weight, count, spread, spelling } = term;
    // The weight of a word counts one and a half times in the product of query and document. Counted twice, texts
    // of one rare word would win over texts of several common ones.
    const scale = purpose === 'query' ? weight : Math.sqrt(weight);
    const value = (scale * count * (1 + SATURATION)) / (count + SATURATION);
    this.write(vector, hash, value, spread);
    if (spelling !== undefined) this.writeGrams(vector, spelling, value * GRAM_WEIGHT);
  }

  private writeGrams(vector: Float64Array, word: string, value: number): void {
    const bounded = `<${word}>`;
    let count = 0;
    for (const length of GRAM_LENGTHS) count += Math.max(0, bounded.length - length + 1);
    const share = value / Math.sqrt(count);
    for (const length of GRAM_LENGTHS) {
      for (let start = 0; start + length <= bounded.length; start++) {
        const hash = nextHash(hashText(bounded, GRAM_SALT, start, start + length));
        addAt(vector, placeOf(hash, this.contentSize), signOf(hash) * share);
      }
    }
  }

  private write(vector: Float64Array, hash: number, value: number, spread: number): void {
    const share = value / Math.sqrt(spread);
    let current = hash;
    for (let index = 0; index < spread; index++) {
      current = nextHash(current);
      addAt(vector, placeOf(current, this.contentSize), signOf(current) * share);
    }
  }

  private writeEcho(vector: Float64Array): void {
    for (let index = 0; index < this.contentSize; index++) {
      const value = vector[index] ?? 0;
      if (value !== 0) addAt(vector, this.echoPlaces[index] ?? 0, (this.echoSigns[index] ?? 0) * value);
    }
    const length = lengthOf(vector, this.contentSize, this.dimensions);
    if (length === 0) {
      vector[this.contentSize] = ECHO_LENGTH;
      return;
    }
    for (let index = this.contentSize; index < this.dimensions; index++) {
      vector[index] = ((vector[index] ?? 0) * ECHO_LENGTH) / length;
    }
  }
}

function addAt(vector: Float64Array, index: number, value: number): void {
  vector[index] = (vector[index] ?? 0) + value;
}

function lengthOf(vector: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++) {
    const value = vector[index] ?? 0;
    sum += value * value;
  }
  return Math.sqrt(sum);
}
