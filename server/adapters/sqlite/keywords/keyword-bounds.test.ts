import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundSums } from './keyword-bounds.js';
import type { Postings } from './keyword-postings.js';

const weightOf = (times: number) => times / (times + 1);

test.each([
  ['close together', 1],
  ['far apart', 100_000],
])('adds the weights of the words of each memory, for seqs %s', (_, distance) => {
  const word = fc.uniqueArray(fc.record({ place: fc.nat(40), times: fc.integer({ min: 1, max: 5 }) }), {
    selector: ({ place }) => place,
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const all = words.map((places) => postingsOf(places, distance));
      const sums = boundSums(all);
      for (const postings of all) sums.add(postings, weightOf);

      const { seqs, bounds } = sums.bounds();

      expect(new Map(seqs.map((seq, at) => [seq, bounds[at]]))).toEqual(simply(all));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    }),
  );
});

function postingsOf(places: readonly { place: number; times: number }[], distance: number): Postings {
  const sorted = places.toSorted((a, b) => a.place - b.place);
  return { seqs: sorted.map(({ place }) => 7 + place * distance), times: sorted.map(({ times }) => times) };
}

function simply(all: readonly Postings[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { seqs, times } of all) {
    for (const [at, seq] of seqs.entries()) sums.set(seq, (sums.get(seq) ?? 0) + weightOf(times[at] as number));
  }
  return sums;
}
