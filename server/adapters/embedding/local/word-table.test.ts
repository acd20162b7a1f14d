import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { splitWords } from './word-pieces.js';
import { WordTable } from './word-table.js';

/** Texts and the ids that the tokenizer of the model gives them, by the Python package `tokenizers` 0.23.3. */
const EXPECTED = readFileSync(new URL('../../../testing/fixtures/word-pieces.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [text: string, ids: number[]]);
/** Stands for a word that the vocabulary cannot put together. */
const UNKNOWN = 1;

const table = await WordTable.load();

describe('the word table', () => {
  test('splits hundreds of texts, hostile ones included, as the tokenizer of the model does', () => {
    const differing = EXPECTED.filter(([text, ids]) => {
      const mine = splitWords(text).flatMap((word) => {
        const rows = table.rowsOf(word);
        return rows.length > 0 ? rows : [UNKNOWN];
      });
      return JSON.stringify(mine) !== JSON.stringify(ids);
    });

    expect(EXPECTED.length).toBeGreaterThan(600);
    expect(differing).toEqual([]);
  });

  test('has vectors that tell words of like meaning from others', () => {
    expect(cosine('doctor', 'physician')).toBeGreaterThan(0.5);
    expect(cosine('doctor', 'bread')).toBeLessThan(0.2);
  });

  test('gives as many dimensions as are asked for, and adds the pieces of a word', () => {
    const [whole, part] = [vectorOf('unbelievably', 224), vectorOf('unbelievably', 10)];

    expect(table.rowsOf('unbelievably').length).toBeGreaterThan(1);
    expect([...part]).toEqual([...whole.slice(0, 10)]);
  });
});

function vectorOf(word: string, dimensions: number = table.dimensions): Float64Array {
  table.add(table.rowsOf(word), 1);
  return table.takeSum(dimensions);
}

function cosine(one: string, other: string): number {
  const [a, b] = [vectorOf(one), vectorOf(other)];
  const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
