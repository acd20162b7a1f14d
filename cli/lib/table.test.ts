import { describe, expect, test } from 'vitest';
import { formatFields, formatTable, oneLine } from './table.js';

describe('formatTable', () => {
  test('makes columns as wide as their widest cell, without trailing spaces', () => {
    const rows = [
      { name: 'a', count: 5 },
      { name: 'longer', count: 12 },
    ];

    const table = formatTable(rows, [
      { heading: 'name', text: ({ name }) => name },
      { heading: 'n', text: ({ count }) => count, align: 'right' },
    ]);

    expect(table).toBe('NAME     N\na        5\nlonger  12');
  });

  test('puts each row in one line, without control characters', () => {
    const table = formatTable(
      [{ text: 'one\ntwo\u001b[2J\u202ethree' }],
      [{ heading: 'text', text: ({ text }) => text }],
    );

    expect(table).toBe('TEXT\none two[2Jthree');
  });

  test('colours its headings only on request', () => {
    const columns = [{ heading: 'id', text: () => 'x' }];

    expect(formatTable([1], columns, { color: true })).toContain('\u001b[1m');
    expect(formatTable([1], columns, { color: false })).not.toContain('\u001b');
  });
});

test('formatFields omits undefined values', () => {
  expect(formatFields({ id: 'x', missing: undefined, metadata: { a: 1 } })).toBe('id        x\nmetadata  {"a":1}');
});

test('oneLine truncates by characters, not bytes', () => {
  expect(oneLine('äöü😀xyz', 5)).toBe('äöü😀…');
  expect(oneLine('äöü', 3)).toBe('äöü');
});
