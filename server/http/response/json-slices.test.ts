import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonLines } from '../contract/json-lines.js';
import { jsonSlices, SLICE_CHARACTERS } from './json-slices.js';

const MEMORY_CHARACTERS = 100_000;

describe('a body in slices', () => {
  test('is the text of JSON.stringify', async () => {
    const body = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())));

    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        expect(await textOf(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  test.each([
    ['an empty object', {}],
    ['empty lists and members without a value', { results: [], cursor: undefined, meta: { count: 0 } }],
    ['a list', [1, { a: [2] }]],
    ['a text', 'a\u0001"'],
    ['null', null],
  ])('is the text of JSON.stringify for %s', async (_, value) => {
    expect(await textOf(value)).toBe(JSON.stringify(value));
  });

  test('has one line for each value of JsonLines', async () => {
    expect(await textOf(new JsonLines([{ a: 1 }, { b: 'x\n' }]))).toBe('{"a":1}\n{"b":"x\\n"}\n');
    expect(await textOf(new JsonLines([]))).toBe('');
  });

  test('exceeds the size of a slice by at most one memory, and gives a turn after each slice', async () => {
    let isDone = false;
    let turns = 0;
    const others = async () => {
      for (; !isDone; turns += 1) await setImmediate();
    };
    const counting = others();
    const results = Array.from({ length: 20 }, () => ({ content: 'x'.repeat(MEMORY_CHARACTERS) }));

    const slices = (await jsonSlices({ results })) as Buffer[];
    isDone = true;
    await counting;

    for (const { length } of slices) expect(length).toBeLessThan(SLICE_CHARACTERS + MEMORY_CHARACTERS + 20);
    expect(slices.length).toBeGreaterThanOrEqual((20 * MEMORY_CHARACTERS) / (SLICE_CHARACTERS + MEMORY_CHARACTERS));
    expect(turns).toBeGreaterThanOrEqual(slices.length - 1);
  });

  test('is not finished for a caller that has left', async () => {
    const left = new AbortController();
    const values = Array.from({ length: 20 }, () => ({ content: 'x'.repeat(MEMORY_CHARACTERS) }));

    const slices = jsonSlices(new JsonLines(values), left);
    left.abort(new Error('left'));

    await expect(slices).rejects.toThrow('left');
  });
});

async function textOf(body: unknown): Promise<string> {
  const slices = await jsonSlices(body);
  return typeof slices === 'string' ? slices : Buffer.concat(slices).toString();
}
