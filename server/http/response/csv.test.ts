import { describe, expect, test } from 'vitest';
import { toCsv } from './csv.js';

describe('toCsv', () => {
  test('ends each row with CR LF, and writes nothing for no rows', () => {
    expect(
      toCsv([
        ['a', 'b'],
        ['c', ''],
      ]),
    ).toBe('a,b\r\nc,\r\n');
    expect(toCsv([])).toBe('');
  });

  test.each([
    ['a "word"', '"a ""word"""'],
    ['a,b', '"a,b"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    [' plain text', ' plain text'],
  ])('quotes %j only if it needs quotes', (value, cell) => {
    expect(toCsv([[value]])).toBe(`${cell}\r\n`);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['a=1', 'a=1'],
  ])('makes %j a text, not a formula', (value, cell) => {
    expect(toCsv([[value]])).toBe(`${cell}\r\n`);
  });
});
