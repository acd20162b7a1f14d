import { expect, test } from 'vitest';
import { Bm25 } from './bm25.js';

test('BM25 puts the document with the rarer words of the query first', () => {
  const bm25 = new Bm25(
    new Map([
      ['a', 'the deploy runs on the cluster'],
      ['b', 'the cluster is in Dublin'],
      ['c', 'lunch is at noon'],
    ]),
  );

  expect(bm25.search('Deploying the clusters', 5)).toEqual(['a', 'b']);
  expect(bm25.search('Deploying the clusters', 1)).toEqual(['a']);
  expect(bm25.search('nothing known', 5)).toEqual([]);
});
