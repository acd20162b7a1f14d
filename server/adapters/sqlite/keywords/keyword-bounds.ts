import type { Postings } from './keyword-postings.js';

/** Memories in ascending order of seq, each with an upper bound of its relevance. */
export interface Bounds {
  seqs: number[];
  bounds: number[];
}

/** Adds the maximum weight of a word to the bound of every memory that contains it. */
export function addBounds(known: Bounds, { seqs, times }: Postings, maxWeightOf: (times: number) => number): Bounds {
  const sums: Bounds = { seqs: [], bounds: [] };
  let at = 0;
  for (const [index, seq] of seqs.entries()) {
    for (; (known.seqs[at] ?? Number.POSITIVE_INFINITY) < seq; at += 1) {
      sums.seqs.push(known.seqs[at] as number);
      sums.bounds.push(known.bounds[at] as number);
    }
    const before = known.seqs[at] === seq ? (known.bounds[at++] as number) : 0;
    sums.seqs.push(seq);
    sums.bounds.push(before + maxWeightOf(times[index] as number));
  }
  for (; at < known.seqs.length; at += 1) {
    sums.seqs.push(known.seqs[at] as number);
    sums.bounds.push(known.bounds[at] as number);
  }
  return sums;
}

const STEPS = 1_024;
const MIN_STEP_SEQS = 64;

/** A group of memories, and an upper bound for all memories of later groups. */
interface Step {
  seqs: number[];
  laterAtMost: number;
}

/** Yields the memories in groups of descending bounds. Sorting all would cost more than scoring the best groups. */
export function* descending({ seqs, bounds }: Bounds): Generator<Step> {
  const highest = bounds.reduce((most, bound) => Math.max(most, bound), 0);
  const steps: number[][] = Array.from({ length: STEPS }, () => []);
  for (const [index, bound] of bounds.entries()) {
    const step = Math.min(STEPS - 1, Math.floor((bound / highest) * STEPS));
    (steps[step] as number[]).push(seqs[index] as number);
  }
  let some: number[] = [];
  for (let step = STEPS - 1; step >= 0; step -= 1) {
    some = some.concat(steps[step] as number[]);
    if (some.length < MIN_STEP_SEQS && step > 0) continue;
    yield { seqs: some, laterAtMost: (step / STEPS) * highest };
    some = [];
  }
}
