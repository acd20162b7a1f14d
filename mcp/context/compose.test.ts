import type { Memory } from '@memory-service/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compose } from './compose.js';
import { cutToTokens, estimateTokens } from './tokens.js';

function memories(prefix: string, contents: readonly string[]): Memory[] {
  return contents.map((content, index) => ({
    id: `${prefix}${index}`,
    content,
    metadata: {},
    createdAt: '2026-03-02T09:15:04.120331Z',
    updatedAt: '2026-03-02T09:15:04.120331Z',
  }));
}

describe('a composed text', () => {
  test('has one line for each memory, under the heading of its section', () => {
    const sections = [
      { heading: 'Relevant:', memories: memories('r', ['Ana likes tea.']) },
      { heading: 'Newest:', memories: memories('n', ['Ben\nis back.']) },
    ];

    expect(compose(sections, 1_000)).toEqual({
      text: 'Relevant:\n- 2026-03-02 Ana likes tea.\nNewest:\n- 2026-03-02 Ben is back.',
      tokens: 18,
      memoryIds: ['r0', 'n0'],
      omitted: 0,
    });
  });

  test('has no heading of an empty section', () => {
    expect(compose([{ heading: 'Relevant:', memories: [] }], 1_000)).toMatchObject({ text: '', tokens: 0 });
  });

  test('is never longer than its limit', () => {
    const content = fc.string({ unit: 'binary', maxLength: 200, size: 'max' }).map((unit) => unit.repeat(10));
    const contents = fc.array(content, { maxLength: 20, size: 'max' });

    fc.assert(
      fc.property(contents, contents, fc.integer({ min: 100, max: 3_000 }), (first, second, maxTokens) => {
        const sections = [
          { heading: 'Relevant memories:', memories: memories('r', first) },
          { heading: 'Newest memories:', memories: memories('n', second) },
        ];
        const { text, tokens } = compose(sections, maxTokens);
        expect(tokens).toBe(estimateTokens(text));
        expect(tokens).toBeLessThanOrEqual(maxTokens);
        expect(text.isWellFormed() || !first.concat(second).every((each) => each.isWellFormed())).toBe(true);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  test('leaves room for the later section, and gives it to the first if the later needs less', () => {
    const long = Array.from({ length: 40 }, (_, index) => `Fact ${index} ${'word '.repeat(30)}`);
    const withMany = compose(
      [
        { heading: 'Relevant:', memories: memories('r', long) },
        { heading: 'Newest:', memories: memories('n', long) },
      ],
      1_000,
    );
    const withOne = compose(
      [
        { heading: 'Relevant:', memories: memories('r', long) },
        { heading: 'Newest:', memories: memories('n', ['Short.']) },
      ],
      1_000,
    );
    const countOf = (ids: readonly string[], prefix: string) => ids.filter((id) => id.startsWith(prefix)).length;

    expect(countOf(withMany.memoryIds, 'n')).toBeGreaterThan(3);
    expect(countOf(withMany.memoryIds, 'r')).toBeGreaterThan(countOf(withMany.memoryIds, 'n'));
    expect(countOf(withOne.memoryIds, 'r')).toBeGreaterThan(countOf(withMany.memoryIds, 'r'));
    expect(withMany.omitted).toBe(80 - withMany.memoryIds.length);
    expect(withMany.tokens).toBeGreaterThan(900);
  });

  test('gives no memory more than a third', () => {
    const { text } = compose([{ heading: 'Relevant:', memories: memories('r', ['x'.repeat(9_000), 'Short.']) }], 300);

    expect(text).toMatch(/x…\n- 2026-03-02 Short\.$/);
    expect(estimateTokens(text)).toBeLessThan(120);
  });
});

describe('the estimate of tokens', () => {
  test.each([
    ['Deploys run on Fridays at noon.', 8],
    ['Größe', 2],
    ['Пример', 3],
    ['配置在周五中午', 7],
    ['', 0],
  ])('of %j is %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  test('is kept by cutting, which never splits a character', () => {
    for (let tokens = 1; tokens < 40; tokens += 1) {
      const cut = cutToTokens('😀 and words '.repeat(20), tokens);
      expect(estimateTokens(cut)).toBeLessThanOrEqual(tokens);
      expect(cut.isWellFormed()).toBe(true);
    }
  });
});
