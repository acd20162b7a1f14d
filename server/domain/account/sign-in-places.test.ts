import { describe, expect, test } from 'vitest';
import { isKnownPlace, rememberPlace, type SignInPlace } from './sign-in-places.js';

const DAY = 24 * 60 * 60 * 1_000_000;
const NOW = 1_700_000_000_000_000;

describe('a place that a user signed in from', () => {
  test('is known for 90 days from the last sign-in', () => {
    const places = rememberPlace(rememberPlace([], ['a'], NOW), ['a'], NOW + 10 * DAY);

    expect(places).toEqual([{ digest: 'a', at: NOW + 10 * DAY }]);
    expect(isKnownPlace(places, ['a'], NOW + 99 * DAY)).toBe(true);
    expect(isKnownPlace(places, ['a'], NOW + 100 * DAY)).toBe(false);
    expect(isKnownPlace(places, ['b'], NOW + 10 * DAY)).toBe(false);
  });

  test('is one of at most twenty, of which the oldest go', () => {
    let places: SignInPlace[] = [];
    for (let n = 0; n < 25; n += 1) places = rememberPlace(places, [`place ${n}`], NOW + n);

    expect(places).toHaveLength(20);
    expect(places[0]?.digest).toBe('place 24');
    expect(places.at(-1)?.digest).toBe('place 5');
  });

  test('is dropped with the next sign-in when it is too old', () => {
    const places = rememberPlace([{ digest: 'old', at: NOW - 90 * DAY }], ['new'], NOW);

    expect(places).toEqual([{ digest: 'new', at: NOW }]);
  });

  test('is known by the digest of a former key, and is kept by that of the first', () => {
    const places: SignInPlace[] = [{ digest: 'by the former key', at: NOW }];
    const digests = ['by the first key', 'by the former key'];

    expect(isKnownPlace(places, digests, NOW)).toBe(true);
    expect(rememberPlace(places, digests, NOW + 1)).toEqual([{ digest: 'by the first key', at: NOW + 1 }]);
  });

  test('is not remembered when nothing is known of it', () => {
    expect(isKnownPlace([{ digest: 'a', at: NOW }], [], NOW)).toBe(false);
    expect(rememberPlace([{ digest: 'a', at: NOW }], [], NOW)).toEqual([{ digest: 'a', at: NOW }]);
  });
});
