import type { EmbeddingPurpose } from '../../../ports/embedder.js';
import type { LocalModel } from '../../../ports/text-work.js';
import { Meanings } from './meaning.js';
import { Projection } from './projection.js';
import { extractTerms } from './terms.js';
import { WordTable } from './word-table.js';

/** Dimensions for the meaning: one in this many, and no more than the largest number. */
const MEANING = { oneIn: 4, most: 256 };
/** Part of the cosine of two texts that their meaning decides; the rest are their terms. */
const MEANING_WEIGHT = 0.6;

let table: Promise<WordTable> | undefined;
const projections = new Map<number, Projection>();
const meanings = new Map<number, Meanings>();

/** The vector of a text, of length 1. The work is linear in the length of the text. */
export async function embedText(text: string, purpose: EmbeddingPurpose, model: LocalModel): Promise<Float32Array> {
  const { dimensions } = model;
  if (model.name === 'hashed-terms-1') return projectionOf(dimensions).project(extractTerms(text), purpose);
  table ??= WordTable.load();
  const ofMeaning = Math.min(MEANING.most, Math.floor(dimensions / MEANING.oneIn));
  const { vector, share } = meaningsOf(await table, ofMeaning).read(text, purpose);
  const terms = projectionOf(dimensions - ofMeaning).project(extractTerms(text), purpose);
  return joined(terms, vector, MEANING_WEIGHT * share * share);
}

/** @param weight of the meaning, from 0 to 1 */
function joined(terms: Float32Array, meaning: Float64Array, weight: number): Float32Array {
  const [ofTerms, ofMeaning] = [Math.sqrt(1 - weight), Math.sqrt(weight)];
  const vector = new Float32Array(terms.length + meaning.length);
  for (let index = 0; index < terms.length; index++) vector[index] = (terms[index] ?? 0) * ofTerms;
  for (let index = 0; index < meaning.length; index++) {
    vector[terms.length + index] = (meaning[index] ?? 0) * ofMeaning;
  }
  return vector;
}

function projectionOf(dimensions: number): Projection {
  let projection = projections.get(dimensions);
  if (!projection) {
    projection = new Projection(dimensions);
    projections.set(dimensions, projection);
  }
  return projection;
}

function meaningsOf(words: WordTable, dimensions: number): Meanings {
  let read = meanings.get(dimensions);
  if (!read) {
    read = new Meanings(words, dimensions);
    meanings.set(dimensions, read);
  }
  return read;
}
