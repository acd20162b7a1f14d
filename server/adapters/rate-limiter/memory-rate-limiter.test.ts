import { afterEach, describe, expect, test, vi } from 'vitest';
import { rateLimiterSuite } from '../../testing/adapter-suites/jobs/rate-limiter.suite.js';
import { MemoryRateLimiter } from './memory-rate-limiter.js';

const LIMITS = { ingest: 1, search: 1, admin: 5, tools: 1, signIn: 1, signInAddress: 1, signInAccount: 1 };

afterEach(() => vi.useRealTimers());

rateLimiterSuite(async (limits) => new MemoryRateLimiter(limits));

describe('MemoryRateLimiter', () => {
  test('allows requests again when the minute is over', async () => {
    vi.useFakeTimers();
    const limiter = new MemoryRateLimiter(LIMITS);
    await limiter.consume('ingest', 'org-1', 'token-1', 'person-1');
    await limiter.consume('ingest', 'org-1', 'webhook-1');

    vi.advanceTimersByTime(60_001);

    expect(await limiter.consume('ingest', 'org-1', 'token-1', 'person-1')).toMatchObject({ allowed: true });
    expect(await limiter.consume('ingest', 'org-1', 'webhook-1')).toMatchObject({ allowed: true });
  });
});
