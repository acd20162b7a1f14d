import { expect, test } from 'vitest';
import { setUpPlan } from './set-up-plan.js';

test('the plan names what the setup creates, and estimates sizes', () => {
  const plan = setUpPlan(1_024, 1_000_000);

  expect(plan).toContain('vector index memories_d1024b: 1024 dimensions');
  expect(plan.filter((line) => line.startsWith('collection '))).toContain('collection memories: 17 indexes');
  expect(plan).toContain('  documents: 6.1 GB, 6096 bytes each');
  expect(plan).toContain('  memory of the vector index, quantization none: 4.4 GB');
  expect(plan).toContain('  memory of the vector index, quantization scalar: 1.3 GB');
  expect(plan).toContain('  memory of the vector index without a graph (flat): 4.1 GB');
});

test('the plan of a search index of words has fewer entries in the database', () => {
  const plan = setUpPlan(1_024, 1_000_000, 'search');

  expect(plan.filter((line) => line.startsWith('collection '))).toContain('collection memories: 16 indexes');
  expect(plan).toContain('search index memories_words: words');
  expect(plan).toContain('  indexes of the database: 1.4 GB, about 45 entries each');
  expect(plan).toContain('  search index of words, on disk: 0.7 GB');
});
