import { describe, expect, test } from 'vitest';
import { nextAttemptDelayMs, parseRetryAfter } from './attempt-delay.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('nextAttemptDelayMs', () => {
  test('returns 5 seconds, 5 minutes, 30 minutes, and then undefined', () => {
    const delays = [1, 2, 3, 4, 5].map((attempts) => nextAttemptDelayMs(attempts, undefined, 0.5));

    expect(delays).toEqual([5 * SECOND, 5 * MINUTE, 30 * MINUTE, undefined, undefined]);
  });

  test.each([
    [1, 4 * SECOND, 6 * SECOND],
    [2, 4 * MINUTE, 6 * MINUTE],
    [3, 24 * MINUTE, 36 * MINUTE],
  ])('varies by 20 %% after attempt %i', (attempts, shortest, longest) => {
    expect(nextAttemptDelayMs(attempts, undefined, 0)).toBe(shortest);
    expect(nextAttemptDelayMs(attempts, undefined, 1)).toBe(longest);
  });

  test('grows to the Retry-After of the endpoint, at most an hour, and never shrinks', () => {
    expect(nextAttemptDelayMs(1, 90 * SECOND, 0.5)).toBe(90 * SECOND);
    expect(nextAttemptDelayMs(1, 24 * 60 * MINUTE, 0.5)).toBe(60 * MINUTE);
    expect(nextAttemptDelayMs(3, 10 * SECOND, 0.5)).toBe(30 * MINUTE);
    expect(nextAttemptDelayMs(4, 10 * SECOND, 0.5)).toBeUndefined();
  });
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 2, 2, 9, 0, 0);

  test('accepts seconds and HTTP dates', () => {
    expect(parseRetryAfter('120', now)).toBe(120 * SECOND);
    expect(parseRetryAfter('0', now)).toBe(0);
    expect(parseRetryAfter('Mon, 02 Mar 2026 09:01:00 GMT', now)).toBe(MINUTE);
    expect(parseRetryAfter('Mon, 02 Mar 2026 08:00:00 GMT', now)).toBe(0);
  });

  test.each([
    [undefined],
    [''],
    ['soon'],
    ['-5'],
    ['1.5'],
    ['1e9'],
    ['9'.repeat(30)],
    ['2026-03-02'],
    ['Abc, nothing'],
  ])('ignores %s', (text) => {
    expect(parseRetryAfter(text, now)).toBeUndefined();
  });
});
