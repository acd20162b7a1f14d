import { describe, expect, test } from 'vitest';
import { isKnownPlace, rememberPlace, type SignInPlace } from './sign-in-places.js';

const DAY = 24 * 60 * 60 * 1_000_000;
const NOW = 1_700_000_000_000_000;

describe('a sign-in place', () => {
  test('is known for 90 days after the last sign-in', () => {
    const places = rememberPlace(rememberPlace([], ['a'], NOW), ['a'], NOW + 10 * DAY);

    expect(places).toEqual([{ digest: 'a', at: NOW + 10 * DAY }]);
    expect(isKnownPlace(places, ['a'], NOW + 99 * DAY)).toBe(true);
    expect(isKnownPlace(places, ['a'], NOW + 100 * DAY)).toBe(false);
    expect(isKnownPlace(places, ['b'], NOW + 10 * DAY)).toBe(false);
  });

  test('is dropped if there are twenty newer ones', () => {
    let places: SignInPlace[] = [];
    for (let n = 0; n < 25; n += 1) places = rememberPlace(places, [`place ${n}`], NOW + n);

    expect(places).toHaveLength(20);
    expect(places[0]?.digest).toBe('place 24');
    expect(places.at(-1)?.digest).toBe('place 5');
  });

  test('is dropped by the next sign-in if it is too old', () => {
    const places = rememberPlace([{ digest: 'old', at: NOW - 90 * DAY }], ['new'], NOW);

    expect(places).toEqual([{ digest: 'new', at: NOW }]);
  });

  test('is recognized by the digest of a former key, and stored with that of the first key', () => {
    const places: SignInPlace[] = [{ digest: 'by the former key', at: NOW }];
    const digests = ['by the first key', 'by the former key'];

    expect(isKnownPlace(places, digests, NOW)).toBe(true);
    expect(rememberPlace(places, digests, NOW + 1)).toEqual([{ digest: 'by the first key', at: NOW + 1 }]);
  });

  test('is not stored if its address is unknown', () => {
    expect(isKnownPlace([{ digest: 'a', at: NOW }], [], NOW)).toBe(false);
    expect(rememberPlace([{ digest: 'a', at: NOW }], [], NOW)).toEqual([{ digest: 'a', at: NOW }]);
  });
});
