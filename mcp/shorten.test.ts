import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shorten, sizeOf } from './shorten.js';

const TIME = '2026-03-02T09:15:04.120331Z';
const ID = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
const SCOPE = { organizationId: ID };

/** Generates long and short texts, with surrogate pairs, escapes and plain characters. */
const text = (max: number) => fc.string({ unit: 'binary', maxLength: max, size: 'max' }).map((unit) => unit.repeat(20));
const memory = fc.record(
  {
    id: fc.constant(ID),
    content: text(200),
    metadata: fc.dictionary(fc.string(), text(30), { maxKeys: 5 }),
    externalKey: fc.string({ unit: 'binary', maxLength: 512, size: 'max' }),
    subjectKey: fc.string({ unit: 'binary', maxLength: 512, size: 'max' }),
    createdAt: fc.constant(TIME),
    updatedAt: fc.constant(TIME),
  },
  { requiredKeys: ['id', 'content', 'metadata', 'createdAt', 'updatedAt'] },
);
const room = fc.integer({ min: 2_000, max: 20_000 });

function memories(count: number, content: string, more: object = {}): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    id: ID.replace(/..$/, String(index % 100).padStart(2, '0')),
    content,
    metadata: {},
    createdAt: TIME,
    updatedAt: TIME,
    ...more,
  }));
}

describe('a result', () => {
  test('that fits is not changed', () => {
    const body = { results: memories(3, 'short'), meta: { count: 3 }, scope: SCOPE };

    expect(shorten(body, 2_000)).toBe(body);
  });

  test('is never longer than maxChars', () => {
    const list = fc.record({
      results: fc.array(memory, { maxLength: 60, size: 'max' }),
      meta: fc.constant({ count: 1 }),
    });
    const changes = fc.record({
      changes: fc.array(memory, { maxLength: 60, size: 'max' }),
      meta: fc.constant({ hasMore: false }),
    });
    const value = fc.record({ value: text(100), count: fc.nat() });
    const stats = fc.record({
      facets: fc.dictionary(fc.constantFrom('kind', 'source'), fc.array(value, { size: 'max', maxLength: 100 })),
    });

    fc.assert(
      fc.property(fc.oneof(memory, list, changes, stats), room, fc.nat(2_000), (body, maxChars, offset) => {
        expect(sizeOf(shorten({ ...body, scope: SCOPE }, maxChars, offset))).toBeLessThanOrEqual(maxChars);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  test('keeps every entry, with contents as long as possible', () => {
    const shown = shorten({ results: memories(10, 'word '.repeat(10_000)), meta: { count: 10 } }, 20_000);

    const results = shown.results as { id: string; content: string; truncated: boolean }[];
    expect(results).toHaveLength(10);
    expect(results.every(({ truncated }) => truncated)).toBe(true);
    expect(results[0]?.content).toMatch(/^word word .*…$/);
    expect(sizeOf(shown)).toBeGreaterThan(15_000);
    expect(shown.note).toContain('memory_get');
  });

  test('does not cut short contents when it cuts long ones', () => {
    const shown = shorten({ results: [...memories(1, 'a'.repeat(50_000)), ...memories(1, 'short')] }, 5_000);

    expect(shown.results).toMatchObject([{ truncated: true }, { content: 'short' }]);
    expect((shown.results as object[])[1]).not.toHaveProperty('truncated');
  });

  test('leaves out long metadata if cutting contents is not enough, and says so', () => {
    const shown = shorten({ results: memories(20, 'short', { metadata: { page: 'x'.repeat(2_000) } }) }, 10_000);

    const results = shown.results as object[];
    expect(results).toHaveLength(20);
    expect(results[0]).toMatchObject({ content: 'short', truncated: true });
    expect(results[0]).not.toHaveProperty('metadata');
  });

  test('leaves out entries last, and says how many', () => {
    const shown = shorten({ results: memories(500, 'x'.repeat(500)), meta: { count: 500 } }, 20_000);

    const results = shown.results as object[];
    expect(results.length).toBeGreaterThan(20);
    expect(shown.omitted).toBe(500 - results.length);
    expect(shown.note).toContain('maxChars');
  });

  test('never splits a character', () => {
    for (let maxChars = 2_000; maxChars < 2_020; maxChars += 1) {
      const { content } = shorten({ id: ID, content: '😀'.repeat(5_000) }, maxChars) as { content: string };

      expect(content.isWellFormed()).toBe(true);
    }
  });
});

describe('a page of changes that is cut', () => {
  test('has the cursor of the last shown change, so that none is skipped', () => {
    const changes = memories(500, 'x'.repeat(500)).map((change, index) => ({
      ...change,
      updatedAt: `2026-03-02T09:15:04.${String(index).padStart(6, '0')}Z`,
    }));
    const whole = { changes, meta: { count: 500, hasMore: false }, nextCursor: 'of the last' };

    const shown = shorten(whole, 20_000);

    const last = (shown.changes as { updatedAt: string; id: string }[]).at(-1);
    expect(shown).toMatchObject({ meta: { hasMore: true }, nextCursor: `${last?.updatedAt}|${last?.id}` });
  });
});

describe('one memory', () => {
  const content = Array.from({ length: 5_000 }, (_, index) => `line ${index} "quoted"\n`).join('');

  test('can be read in full with the nextOffset of each result', () => {
    let read = '';
    let offset: number | undefined = 0;
    let calls = 0;
    while (offset !== undefined) {
      const part = shorten({ id: ID, content, metadata: {} }, 20_000, offset) as {
        content: string;
        nextOffset?: number;
      };
      read += part.content;
      offset = part.nextOffset;
      calls += 1;
    }

    expect(read).toBe(content);
    expect(calls).toBeLessThan(10);
  });

  test('has an empty content beyond its end', () => {
    expect(shorten({ id: ID, content: 'short' }, 2_000, 99)).toEqual({ id: ID, content: '', offset: 99 });
  });

  test('keeps room for its content even if its metadata is long', () => {
    const shown = shorten({ id: ID, content: 'y'.repeat(5_000), metadata: { page: 'x'.repeat(60_000) } }, 10_000);

    expect(shown).toMatchObject({ content: 'y'.repeat(5_000), truncated: true });
    expect(shown).not.toHaveProperty('metadata');
    expect(shown.note).toContain('maxChars');
  });
});
