import { expect, test } from 'vitest';
import { lookUp } from './lexicon.js';

test('the rarer a word, the more it tells', () => {
  const weights = ['the', 'caroline', 'people', 'kitchen', 'kubectl'].map((word) => lookUp(word).weight);

  expect(weights).toEqual(weights.toSorted((a, b) => a - b));
  expect(new Set(weights).size).toBe(5);
});

test('forms of a common word are as common', () => {
  expect(lookUp('questions').weight).toBe(lookUp('question').weight);
  expect(lookUp('bought').weight).toBe(lookUp('buy').weight);
});

test.each([
  ['und', 'der', 'nicht'],
  ['et', 'les', 'dans'],
  ['los', 'por', 'para'],
  ['het', 'een', 'niet'],
  ['и', 'не', 'что'],
])('function words are known in other languages: %s', (...words) => {
  expect(words.every((word) => lookUp(word).isFunctionWord)).toBe(true);
});

test.each([
  ['children', 'child'],
  ['went', 'going'],
  ['organisation', 'organization'],
  ['behaviour', 'behavior'],
  ['seven', '7'],
  ['mum', 'mother'],
])('%s and %s are one word', (one, other) => {
  expect(lookUp(one).stem).toBe(lookUp(other).stem);
});
