import type { Postings } from './keyword-postings.js';

/** Memories in ascending order of seq, each with an upper bound of its relevance. */
export interface Bounds {
  seqs: number[];
  bounds: number[];
}

/** Sums up the maximum weights of the words that each memory contains. */
export interface BoundSums {
  /** Adds a word. `maxWeightOf` returns its maximum weight in a memory that contains it so many times. */
  add(postings: Postings, maxWeightOf: (times: number) => number): void;
  bounds(): Bounds;
}

/** Widest range of seqs that gets an array of sums, per memory in the postings of all words. */
const MAX_SPREAD = 4;

/** @param all the postings of all words that will be added */
export function boundSums(all: readonly Postings[]): BoundSums {
  const first = all.reduce((least, { seqs }) => Math.min(least, seqs[0] ?? least), Number.POSITIVE_INFINITY);
  const last = all.reduce((most, { seqs }) => Math.max(most, seqs.at(-1) ?? most), Number.NEGATIVE_INFINITY);
  const count = all.reduce((sum, { seqs }) => sum + seqs.length, 0);
  const range = last - first + 1;
  return count > 0 && range <= MAX_SPREAD * count ? new DenseSums(first, range) : new MergedSums();
}

/** Has a place for every seq of a range. */
class DenseSums implements BoundSums {
  readonly #first: number;
  /** Negative where no word was added. */
  readonly #sums: Float64Array;

  constructor(first: number, range: number) {
    this.#first = first;
    this.#sums = new Float64Array(range).fill(-1);
  }

  add({ seqs, times }: Postings, maxWeightOf: (times: number) => number): void {
    const weights: number[] = [];
    for (let index = 0; index < seqs.length; index += 1) {
      const often = times[index] as number;
      const weight = weights[often] ?? maxWeightOf(often);
      weights[often] = weight;
      const at = (seqs[index] as number) - this.#first;
      const before = this.#sums[at] as number;
      this.#sums[at] = before < 0 ? weight : before + weight;
    }
  }

  bounds(): Bounds {
    const found: Bounds = { seqs: [], bounds: [] };
    for (let at = 0; at < this.#sums.length; at += 1) {
      const sum = this.#sums[at] as number;
      if (sum < 0) continue;
      found.seqs.push(this.#first + at);
      found.bounds.push(sum);
    }
    return found;
  }
}

/** Merges sorted lists, for seqs that are far apart. */
class MergedSums implements BoundSums {
  #known: Bounds = { seqs: [], bounds: [] };

  add(postings: Postings, maxWeightOf: (times: number) => number): void {
    this.#known = addBounds(this.#known, postings, maxWeightOf);
  }

  bounds(): Bounds {
    return this.#known;
  }
}

/** Adds the maximum weight of a word to the bound of every memory that contains it. */
function addBounds(known: Bounds, { seqs, times }: Postings, maxWeightOf: (times: number) => number): Bounds {
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
