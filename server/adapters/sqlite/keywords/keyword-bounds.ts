import type { AssertWanted } from '../engine/threads/abandonment.js';
import type { Postings } from './keyword-postings.js';

/** The memories that contain a word of a query. */
export interface Bounds {
  /** Ascending. */
  seqs: number[];
  /** An upper bound of the relevance of each memory. */
  bounds: number[];
  /** Index of the first entry of each memory, and the number of entries. An entry is a word that the memory contains. */
  starts: number[];
  /** Index of the word of each entry, ascending within a memory. */
  terms: number[];
  /** How often the memory contains the word. */
  times: number[];
}

/** Number of memories after which `assertWanted` is called. */
const MEMORIES_PER_STEP = 4_096;

/**
 * Reads the postings of all words together, so that each memory is visited once.
 *
 * @param maxWeightOf the maximum that a word adds to the relevance of a memory
 */
export function boundsOf(
  postings: readonly Postings[],
  maxWeightOf: (term: number, times: number) => number,
  assertWanted: AssertWanted,
): Bounds {
  const all: Bounds = { seqs: [], bounds: [], starts: [0], terms: [], times: [] };
  const next = postings.map(() => 0);
  const heads = postings.map(({ seqs }) => seqs[0] ?? NONE);
  for (let seq = lowestOf(heads); seq !== NONE; seq = lowestOf(heads)) {
    if (all.seqs.length % MEMORIES_PER_STEP === 0) assertWanted();
    let bound = 0;
    for (let term = 0; term < heads.length; term += 1) {
      if (heads[term] !== seq) continue;
      const { seqs, times } = postings[term] as Postings;
      const at = next[term] as number;
      const number = times[at] as number;
      bound += maxWeightOf(term, number);
      all.terms.push(term);
      all.times.push(number);
      next[term] = at + 1;
      heads[term] = seqs[at + 1] ?? NONE;
    }
    all.seqs.push(seq);
    all.bounds.push(bound);
    all.starts.push(all.terms.length);
  }
  return all;
}

/** Stands for a memory after the last one. */
const NONE = Number.POSITIVE_INFINITY;

function lowestOf(heads: readonly number[]): number {
  let lowest = NONE;
  for (let term = 0; term < heads.length; term += 1) {
    const seq = heads[term] as number;
    if (seq < lowest) lowest = seq;
  }
  return lowest;
}

const STEPS = 1_024;
const MIN_STEP_MEMORIES = 64;

/** A group of memories, by their indexes, and an upper bound for all memories of later groups. */
interface Step {
  memories: Uint32Array;
  laterAtMost: number;
}

/** Yields the memories in groups of descending bounds. Sorting all would cost more than scoring the best groups. */
export function* descending({ bounds }: Pick<Bounds, 'bounds'>): Generator<Step> {
  const highest = bounds.reduce((most, bound) => Math.max(most, bound), 0);
  const stepOf = (bound: number) => Math.min(STEPS - 1, Math.floor((bound / highest) * STEPS));
  /** The end of each step in the order of the memories. */
  const ends = new Uint32Array(STEPS + 1);
  for (const bound of bounds) ends[stepOf(bound)] = (ends[stepOf(bound)] as number) + 1;
  for (let step = STEPS - 1; step >= 0; step -= 1) ends[step] = (ends[step] as number) + (ends[step + 1] as number);
  const memories = new Uint32Array(bounds.length);
  const places = ends.slice();
  for (let index = bounds.length - 1; index >= 0; index -= 1) {
    const step = stepOf(bounds[index] as number);
    places[step] = (places[step] as number) - 1;
    memories[places[step] as number] = index;
  }
  let from = 0;
  for (let step = STEPS - 1; step >= 0; step -= 1) {
    const to = ends[step] as number;
    if (to - from < MIN_STEP_MEMORIES && step > 0) continue;
    yield { memories: memories.subarray(from, to), laterAtMost: (step / STEPS) * highest };
    from = to;
  }
}
