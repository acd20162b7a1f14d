import type { Postings } from './keyword-postings.js';

/** Memories in ascending order, and what the relevance of each is not above. */
export interface Bounds {
  seqs: number[];
  bounds: number[];
}

/** Adds what a word is worth at most to every memory that has it. */
export function addBounds(known: Bounds, { seqs, times }: Postings, mostFor: (times: number) => number): Bounds {
  const sums: Bounds = { seqs: [], bounds: [] };
  let at = 0;
  for (const [index, seq] of seqs.entries()) {
    for (; (known.seqs[at] ?? Number.POSITIVE_INFINITY) < seq; at += 1) {
      sums.seqs.push(known.seqs[at] as number);
      sums.bounds.push(known.bounds[at] as number);
    }
    const before = known.seqs[at] === seq ? (known.bounds[at++] as number) : 0;
    sums.seqs.push(seq);
    sums.bounds.push(before + mostFor(times[index] as number));
  }
  for (; at < known.seqs.length; at += 1) {
    sums.seqs.push(known.seqs[at] as number);
    sums.bounds.push(known.bounds[at] as number);
  }
  return sums;
}

const STEPS = 1_024;
const FEWEST_TOGETHER = 64;

/** Memories, and what none of those that come later is above. */
interface Step {
  seqs: number[];
  laterAtMost: number;
}

/** The memories in descending order of their bounds, in steps: sorting all of them costs more than looking at the best. */
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
    if (some.length < FEWEST_TOGETHER && step > 0) continue;
    yield { seqs: some, laterAtMost: (step / STEPS) * highest };
    some = [];
  }
}
