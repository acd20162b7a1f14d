import { describe, expect, test } from 'vitest';
import { displayWidth } from './display-width.js';
import { formatFields, formatTable } from './table.js';

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

  test('aligns columns by what a terminal shows', () => {
    const table = formatTable(
      [
        { name: '日本', note: 'x' },
        { name: 'tea', note: 'y' },
      ],
      [
        { heading: 'name', text: ({ name }) => name },
        { heading: 'note', text: ({ note }) => note },
      ],
    );

    expect(table).toBe('NAME  NOTE\n日本  x\ntea   y');
  });

  test.each([40, 60, 80, 200])('fits in %i columns, and keeps ids and numbers whole', (width) => {
    const rows = [
      { id: '0198c5a2-7e1', name: 'お茶の'.repeat(30), note: 'green tea '.repeat(20), count: 123_456 },
      { id: '0198c5a3-7e1', name: 'tea', note: 'x', count: 1 },
    ];

    const lines = formatTable(
      rows,
      [
        { heading: 'id', text: ({ id }) => id },
        { heading: 'name', text: ({ name }) => name },
        { heading: 'note', text: ({ note }) => note },
        { heading: 'count', text: ({ count }) => count, align: 'right' },
      ],
      { width },
    ).split('\n');

    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(displayWidth(lines[1] ?? '')).toBeGreaterThanOrEqual(width - 1);
    expect(lines[1]).toMatch(/^0198c5a2-7e1 .*… .*… +123456$/);
  });

  test('truncates only columns with a limit where no terminal limits it', () => {
    const columns = [
      { heading: 'name', text: () => 'n'.repeat(300) },
      { heading: 'text', text: () => 't'.repeat(300), most: 10 },
    ];

    expect(formatTable([1], columns).split('\n')[1]).toBe(`${'n'.repeat(300)}  ${'t'.repeat(9)}…`);
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
