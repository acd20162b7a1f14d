import { expect, test } from 'vitest';
import { absoluteTime, comingTime } from './time-flag.js';

const NOW = Date.parse('2026-03-02T09:15:04.000Z');

test.each([
  ['30s', '2026-03-02T09:14:34.000Z', '2026-03-02T09:15:34.000Z'],
  ['5m', '2026-03-02T09:10:04.000Z', '2026-03-02T09:20:04.000Z'],
  ['12h', '2026-03-01T21:15:04.000Z', '2026-03-02T21:15:04.000Z'],
  ['2d', '2026-02-28T09:15:04.000Z', '2026-03-04T09:15:04.000Z'],
  [' 1w ', '2026-02-23T09:15:04.000Z', '2026-03-09T09:15:04.000Z'],
])('%s is a time before or after now', (text, before, after) => {
  expect([absoluteTime(text, NOW), comingTime(text, NOW)]).toEqual([before, after]);
});

test.each(['2026-03-02', 'never', '2y', '1.5d', '-2d', ''])('"%s" is left to the service', (text) => {
  expect([absoluteTime(text, NOW), comingTime(text, NOW)]).toEqual([text, text]);
});
