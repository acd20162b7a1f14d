import { describe, expect, test } from 'vitest';
import { type Candidate, inContext, placesAround, relevanceOf } from './context.js';

describe('inContext', () => {
  test('adds the words of neighbours by their distance, with the mean of the lengths', () => {
    const chunks = [chunkAt(0, [1, 0], 10), chunkAt(1, [0, 2], 20), chunkAt(2, [0, 0], 30), chunkAt(3, [4, 0], 40)];

    const ranked = inContext(chunks.slice(0, 1), chunks);

    const [first] = ranked;
    expect(ranked.map(({ key }) => key)).toEqual([0, 1, 2]);
    expect(first?.times).toEqual([1, 1.4]);
    expect(first?.words).toBeCloseTo((10 + 0.7 * 20 + 0.35 * 30) / 2.05, 9);
  });

  test('changes nothing about memories that are no chunks, and chunks without neighbours', () => {
    const candidates: Candidate[] = [{ key: 'a', times: [1], words: 3 }, chunkAt(7, [2], 5)];

    expect(inContext(candidates, candidates)).toEqual(candidates);
  });
});

test('placesAround returns each place once, from the first chunk on', () => {
  const chunks = placesAround([chunkAt(1, [], 1), chunkAt(2, [], 1), { key: 'a', times: [], words: 1 }]);

  expect(chunks.map(({ chunk }) => chunk).sort()).toEqual(['0:d', '1:d', '2:d', '3:d', '4:d', '5:d', '6:d']);
});

test('relevanceOf stays below what the rarity of the words allows', () => {
  const terms = [{ term: 'harbour', rarity: 2 }];

  expect(relevanceOf(terms, { times: [1], words: 4 }, 4)).toBeCloseTo(2, 9);
  expect(relevanceOf(terms, { times: [1_000], words: 4 }, 4)).toBeLessThan(4.4);
  expect(relevanceOf(terms, { times: [0], words: 4 }, 4)).toBe(0);
});

function chunkAt(index: number, times: number[], words: number): Candidate {
  return { key: index, times, words, place: { subject: '', chunk: `${index}:d` } };
}
