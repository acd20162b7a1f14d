import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemoryRateLimiter } from './memory-rate-limiter.js';

const SIGN_IN = { tools: 1, signInAddress: 1, signInAccount: 1 };

afterEach(() => vi.useRealTimers());

describe('MemoryRateLimiter', () => {
  test('refuses what is over the limit of a minute, and says when the minute ends', async () => {
    const limiter = new MemoryRateLimiter({ ingest: 2, search: 5, ...SIGN_IN, admin: 5 });

    const states = [];
    for (let request = 0; request < 3; request++) states.push(await limiter.consume('ingest', 'org-1', 'token-1'));

    expect(states.map(({ allowed, remaining }) => ({ allowed, remaining }))).toEqual([
      { allowed: true, remaining: 1 },
      { allowed: true, remaining: 0 },
      { allowed: false, remaining: 0 },
    ]);
    expect(states[2]?.resetMs).toBeGreaterThan(0);
    expect(states[2]?.resetMs).toBeLessThanOrEqual(60_000);
  });

  test('counts classes, organizations and credentials apart', async () => {
    const limiter = new MemoryRateLimiter({ ingest: 1, search: 1, ...SIGN_IN, admin: 1 });
    await limiter.consume('ingest', 'org-1', 'token-1');

    const others = [
      await limiter.consume('search', 'org-1', 'token-1'),
      await limiter.consume('ingest', 'org-2', 'token-1'),
      await limiter.consume('ingest', 'org-1', 'token-2'),
    ];

    expect(others.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  });

  test('opens again when the minute is over', async () => {
    vi.useFakeTimers();
    const limiter = new MemoryRateLimiter({ ingest: 1, search: 1, ...SIGN_IN, admin: 1 });
    await limiter.consume('ingest', 'org-1', 'token-1');

    vi.advanceTimersByTime(60_001);

    expect(await limiter.consume('ingest', 'org-1', 'token-1')).toMatchObject({ allowed: true });
  });
});
