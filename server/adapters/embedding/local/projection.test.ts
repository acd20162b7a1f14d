import { describe, expect, test } from 'vitest';
import type { EmbeddingPurpose } from '../../../ports/embedder.js';
import { Projection } from './projection.js';
import { extractTerms, type Term } from './terms.js';

const projection = new Projection(1_024);

function project(text: string, purpose: EmbeddingPurpose): Float32Array {
  return projection.project(extractTerms(text), purpose);
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * other[index]!, 0);
}

test('terms that cancel each other out still make a vector', () => {
  const term: Term = { hash: 1, weight: 1, spread: 4, spelling: undefined, count: 1 };

  const vector = projection.project([term, { ...term, weight: -1 }], 'query');

  expect(cosine(vector, vector)).toBeCloseTo(1, 5);
});

test('a repeated term counts more, but not as often as it is there', () => {
  const other = project('zebra', 'query');
  const [once, twice, often] = ['giraffe zebra', 'giraffe zebra zebra', `giraffe ${'zebra '.repeat(50)}`].map((text) =>
    cosine(project(text, 'query'), other),
  );

  expect(twice!).toBeGreaterThan(once!);
  expect(often!).toBeLessThan(0.95);
});

describe('the length of a document', () => {
  const query = 'the mountains with Caroline';
  const short = 'Thanks, Caroline!';
  const long = 'Caroline and her children went camping by the lake below the mountains';

  test('is no reason to prefer a short one that shares a single word', () => {
    const asked = project(query, 'query');

    expect(cosine(asked, project(long, 'document'))).toBeGreaterThan(cosine(asked, project(short, 'document')));
  });

  test('does not change how close two documents are', () => {
    const asQueries = cosine(project('red apples', 'query'), project('red pears', 'query'));
    const asDocuments = cosine(project('red apples', 'document'), project('red pears', 'document'));

    expect(Math.abs(asDocuments - asQueries)).toBeLessThan(0.1);
  });
});
