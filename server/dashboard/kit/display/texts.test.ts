import { expect, test } from 'vitest';
import { numberText } from '../text/number-text.js';
import { splitMarks } from './marks.js';
import { relativeTime } from './time-text.js';
import { splitControls } from './visible-controls.js';

test('controls that change the direction of text, or are invisible, become symbols', () => {
  expect(splitControls('safe\u202Egnp.exe\u0000\u007F\u200B')).toEqual([
    'safe',
    { symbol: '[U+202E]', name: 'U+202E' },
    'gnp.exe',
    { symbol: '\u2400', name: 'U+0000' },
    { symbol: '\u2421', name: 'U+007F' },
    { symbol: '[U+200B]', name: 'U+200B' },
  ]);
});

test('line breaks, tabs, joined emoji and right-to-left scripts stay as they are', () => {
  const text = 'a\tb\nc \u{1f469}\u200d\u{1f4bb} \u05e9\u05dc\u05d5\u05dd';

  expect(splitControls(text)).toEqual([text]);
});

test.each([
  ['2026-03-02T12:00:00.000000Z', 'now'],
  ['2026-03-02T11:57:00.000000Z', '3 minutes ago'],
  ['2026-03-02T15:00:00.000000Z', 'in 3 hours'],
  ['2026-03-02T11:59:10.000000Z', '1 minute ago'],
  ['2026-03-02T13:10:00.000000Z', 'in 1 hour'],
  ['2026-03-01T12:00:00.000000Z', 'yesterday'],
  ['2026-03-03T12:00:00.000000Z', 'tomorrow'],
  ['2026-02-27T12:00:00.000000Z', '3 days ago'],
  ['2026-01-25T12:00:00.000000Z', 'last month'],
  ['2027-04-01T12:00:00.000000Z', 'next year'],
  ['2024-03-01T12:00:00.000000Z', '2 years ago'],
  ['no time', 'no time'],
])('%s is shown as %s', (value, shown) => {
  expect(relativeTime(value, Date.parse('2026-03-02T12:00:00Z'))).toBe(shown);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [1_234_567, '1,234,567'],
  [-12_345.6789, '-12,345.679'],
])('%d is shown as %s', (value, shown) => {
  expect(numberText(value)).toBe(shown);
});

test('every occurrence of a word is marked, the longest word first', () => {
  const pieces = splitMarks('Deploys (a+b) deploy Deploy', ['Deploy', 'Deploys', '(a+b)', '']);

  expect(pieces.map(({ text, isMarked }) => (isMarked ? `<${text}>` : text)).join('')).toBe(
    '<Deploys> <(a+b)> deploy <Deploy>',
  );
});
