import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { RateLimitClass, RateLimiter, RateLimitState } from '../../../ports/rate-limiter.js';

const LIMITS = { ingest: 2, search: 4, admin: 1, tools: 1, signIn: 1, signInAddress: 1, signInAccount: 1 };

/** Runs the tests that every rate limiter must pass. */
export function rateLimiterSuite(
  open: (limits: Readonly<Record<RateLimitClass, number>>) => Promise<RateLimiter>,
): void {
  describe('a rate limiter', () => {
    test('rejects requests over the limit of a minute, and returns when the minute ends', async () => {
      const limiter = await open(LIMITS);
      const [organizationId, credentialId] = [v7(), v7()];

      const states = await times(3, () => limiter.consume('ingest', organizationId, credentialId));

      expect(states.map(({ allowed, remaining }) => ({ allowed, remaining }))).toEqual([
        { allowed: true, remaining: 1 },
        { allowed: true, remaining: 0 },
        { allowed: false, remaining: 0 },
      ]);
      expect(states[2]?.resetMs).toBeGreaterThan(0);
      expect(states[2]?.resetMs).toBeLessThanOrEqual(60_000);
    });

    test('counts classes, organizations and credentials separately', async () => {
      const limiter = await open(LIMITS);
      const [organizationId, credentialId] = [v7(), v7()];
      await limiter.consume('admin', organizationId, credentialId);

      const others = [
        await limiter.consume('search', organizationId, credentialId),
        await limiter.consume('admin', v7(), credentialId),
        await limiter.consume('admin', organizationId, v7()),
      ];

      expect(others.map(({ allowed }) => allowed)).toEqual([true, true, true]);
    });

    test('allows all credentials of a person together twice the limit of one, and reports the limit with less left', async () => {
      const limiter = await open(LIMITS);
      const [organizationId, userId, first, second, third] = [v7(), v7(), v7(), v7(), v7()];
      const send = (credentialId: string) => limiter.consume('search', organizationId, credentialId, userId);

      const ofFirst = await times(4, () => send(first));
      const ofSecond = await times(3, () => send(second));
      const ofThird = await times(2, () => send(third));

      expect(ofFirst.map(reported)).toEqual(['4:3', '4:2', '4:1', '4:0']);
      expect(ofSecond.map(reported)).toEqual(['4:3', '4:2', '4:1']);
      expect(ofThird.map(reported)).toEqual(['8:0 of the person', 'refused 8:0 of the person']);
    });

    test('does not count for the person what a credential sends beyond its own limit', async () => {
      const limiter = await open(LIMITS);
      const [organizationId, userId, runaway, other] = [v7(), v7(), v7(), v7()];

      await times(50, () => limiter.consume('search', organizationId, runaway, userId));
      const states = await times(4, () => limiter.consume('search', organizationId, other, userId));

      expect(states.every(({ allowed }) => allowed)).toBe(true);
    });

    test('counts people, and the classes and organizations of one person, separately', async () => {
      const limiter = await open(LIMITS);
      const [organizationId, userId] = [v7(), v7()];
      await times(2, () => limiter.consume('admin', organizationId, v7(), userId));

      const states = [
        await limiter.consume('admin', organizationId, v7(), userId),
        await limiter.consume('admin', organizationId, v7(), v7()),
        await limiter.consume('tools', organizationId, v7(), userId),
        await limiter.consume('admin', v7(), v7(), userId),
        await limiter.consume('admin', organizationId, v7()),
      ];

      expect(states.map(({ allowed }) => allowed)).toEqual([false, true, true, true, true]);
    });
  });
}

async function times(count: number, consume: () => Promise<RateLimitState>): Promise<RateLimitState[]> {
  const states: RateLimitState[] = [];
  for (let request = 0; request < count; request++) states.push(await consume());
  return states;
}

function reported({ allowed, limit, remaining, isOfPerson }: RateLimitState): string {
  return `${allowed ? '' : 'refused '}${limit}:${remaining}${isOfPerson ? ' of the person' : ''}`;
}
