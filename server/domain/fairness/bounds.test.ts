import { describe, expect, test } from 'vitest';
import { BOUNDS, type NamedBounds, refusal, sharedResource } from './bounds.js';
import { type Owner, ShareExceededError } from './owner.js';

const A: Owner = { kind: 'tenant', id: 'a' };

const waitingRows = Object.entries<NamedBounds>(BOUNDS).filter(([, { maxWaiting }]) => maxWaiting !== undefined);

describe('the bounds', () => {
  test.each(Object.entries(BOUNDS))('allow more than one share of each kind of owner in %s', (_, bounds) => {
    const { capacity, shares }: NamedBounds = bounds;

    for (const share of Object.values(shares)) expect(share * 2).toBeLessThanOrEqual(capacity);
  });

  test.each(waitingRows)('limit the wait for %s', (_, { maxWaitMs = 0 }) => {
    expect(maxWaitMs).toBeGreaterThan(0);
    expect(maxWaitMs).toBeLessThanOrEqual(15_000);
  });

  test('name the exceeded share in the error', () => {
    const texts = [
      new ShareExceededError('requests', 'tenant', 64),
      new ShareExceededError('bodies', 'address', 64),
      new ShareExceededError('bodyBytes', 'capacity', 268_435_456),
      new ShareExceededError('heavyReads', 'tenant', 32),
      new ShareExceededError('passwords', 'person', 2),
      new ShareExceededError('passwords', 'address', 1, 5_000),
      new ShareExceededError('pages', 'capacity', 4, 15_000),
    ].map((error) => refusal(error).message);

    expect(texts).toEqual([
      'Your organization already has 64 requests under way: try again',
      'Your address already has 64 bodies under way: try again',
      'The service already has 256 MiB of bodies under way: try again',
      'Your organization already has 32 keyword searches and statistics waiting: try again',
      'You already have 2 passwords waiting: try again',
      'Your address already has other passwords waiting, and no turn came within 5 s: try again',
      'The service already has other pages waiting, and no turn came within 15 s: try again',
    ]);
  });

  test('change in proportion to the capacity', () => {
    const requests = sharedResource('requests', 1_024);

    for (let taken = 0; taken < 256; taken += 1) requests.take([A]);

    expect(() => requests.take([A])).toThrow(new ShareExceededError('requests', 'tenant', 256));
  });
});
