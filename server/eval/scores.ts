import { seededRandom } from '../bench/corpus.js';
import type { Question } from './dataset.js';

/** Results that are asked for. */
export const RESULTS = 20;
export const CUTS = [1, 5, 10, 20];
/** The cut that the spread is of. */
export const SPREAD_CUT = 10;

const RESAMPLES = 1_000;
const SEED = 42;
/** Standard deviations on each side of 95 of 100 results. */
const TWO_SIDED_95 = 1.96;

/** The evidence of a question that a search found. */
export interface Answered {
  category: string;
  /** Share of the evidence within each of `CUTS`. */
  recall: readonly number[];
  /** One by the place of the first evidence; 0 where none is found. */
  reciprocalRank: number;
}

export interface Scores {
  questions: number;
  recall: readonly number[];
  mrr: number;
}

/** @param found for each result the keys of its documents: equal texts are one memory */
export function judge({ category, evidence }: Question, found: readonly (readonly string[])[]): Answered {
  const places = evidence.map((key) => found.findIndex((keys) => keys.includes(key))).filter((place) => place >= 0);
  return {
    category,
    recall: CUTS.map((cut) => places.filter((place) => place < cut).length / evidence.length),
    reciprocalRank: places.length === 0 ? 0 : 1 / (Math.min(...places) + 1),
  };
}

export function average(answered: readonly Answered[]): Scores {
  const mean = (of: (one: Answered) => number) => answered.reduce((sum, one) => sum + of(one), 0) / answered.length;
  return {
    questions: answered.length,
    recall: CUTS.map((_, at) => mean(({ recall }) => recall[at] ?? 0)),
    mrr: mean(({ reciprocalRank }) => reciprocalRank),
  };
}

/** Scores by category, in the order of the first question of each. */
export function byCategory(answered: readonly Answered[]): Map<string, Scores> {
  const categories = [...new Set(answered.map(({ category }) => category))];
  return new Map(categories.map((name) => [name, average(answered.filter(({ category }) => category === name))]));
}

/** How far the recall at `SPREAD_CUT` may be off by the choice of the questions: half of the 95 % interval of a bootstrap. */
export function spread(answered: readonly Answered[]): number {
  const random = seededRandom(SEED);
  const pick = () => answered[Math.floor(random() * answered.length)] as Answered;
  const means = Array.from({ length: RESAMPLES }, () => {
    const sample = average(answered.map(pick));
    return sample.recall[CUTS.indexOf(SPREAD_CUT)] ?? 0;
  });
  const mean = means.reduce((sum, one) => sum + one, 0) / RESAMPLES;
  const variance = means.reduce((sum, one) => sum + (one - mean) ** 2, 0) / RESAMPLES;
  return TWO_SIDED_95 * Math.sqrt(variance);
}
