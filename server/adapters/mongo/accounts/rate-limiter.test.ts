import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RateLimitClass, RateLimitState } from '../../../ports/rate-limiter.js';
import { MongoRateLimiter } from './rate-limiter.js';
import type { CountedRequest, EarlierRequests, OpenWindow, RateWindow, RateWindows } from './rate-windows.js';

const WINDOW_MS = 60_000;
const PERSON_FACTOR = 2;

/** Windows in memory with a clock that a test sets, for several limiters. */
class SharedWindows implements RateWindows {
  nowMs = 1_000_000;
  isDown = false;
  readonly commands = { count: 0, add: 0 };
  readonly #windows = new Map<string, RateWindow & { by: Record<string, number> }>();

  async count({ _id, credentialId, limit, earlier, endsAt }: CountedRequest): Promise<OpenWindow> {
    this.#run('count');
    const stored = this.#windows.get(_id);
    const isOpen = stored !== undefined && stored.endsAt.getTime() > this.nowMs;
    const window = isOpen ? stored : { _id, count: 0, by: {}, endsAt: new Date(this.nowMs + WINDOW_MS) };
    this.#windows.set(_id, window);
    const added = isOpen && window.endsAt.getTime() === endsAt?.getTime() ? earlier + 1 : 1;
    if (credentialId === undefined) window.count += added;
    else {
      const before = window.by[credentialId] ?? 0;
      window.by[credentialId] = before + added;
      window.count += Math.min(before + added, limit) - Math.min(before, limit);
    }
    return { ...window, by: { ...window.by }, leftMs: window.endsAt.getTime() - this.nowMs };
  }

  async add(requests: readonly EarlierRequests[]): Promise<RateWindow[]> {
    this.#run('add');
    return requests.flatMap(({ _id, endsAt, count, by = new Map<string, number>() }) => {
      const window = this.#windows.get(_id);
      if (!window) return [];
      if (window.endsAt.getTime() === endsAt.getTime()) {
        window.count += count;
        for (const [id, own] of by) window.by[id] = (window.by[id] ?? 0) + own;
      }
      return [{ ...window, by: { ...window.by } }];
    });
  }

  #run(command: 'count' | 'add'): void {
    this.commands[command] += 1;
    if (this.isDown) throw new Error('down');
  }
}

const PROCESSES = 4;
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ requests: fc.integer({ min: 1, max: 40 }), by: fc.nat(PROCESSES - 1) }) },
    { weight: 3, arbitrary: fc.record({ flushOf: fc.nat(PROCESSES - 1) }) },
    { weight: 2, arbitrary: fc.record({ passMs: fc.constantFrom(100, 1_000, 4_000, 11_000, 30_000) }) },
  ),
  { minLength: 20, maxLength: 80 },
);
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;
const limits = fc.constantFrom(10, 30, 60, 120, 600);

describe('a rate limiter of several processes', () => {
  beforeEach(() => {
    // Nothing is written but by the test.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  test('allows at most a thirtieth of the limit a process more, and refuses none within the limit', async () => {
    await fc.assert(
      fc.asyncProperty(limits, steps, async (limit, chosen) => {
        const sent = await play(chosen, limit);

        const allowed = new Map<number, number>();
        for (const { endsMs } of sent.filter((request) => request.allowed)) {
          allowed.set(endsMs, (allowed.get(endsMs) ?? 0) + 1);
        }
        const early = sent.filter(({ allowed, inMinute }) => !allowed && inMinute <= limit);
        expect(Math.max(0, ...allowed.values())).toBeLessThanOrEqual(limit + PROCESSES * Math.floor(limit / 30));
        expect(early).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('is exact if one process gets all requests', async () => {
    const ofFirst = steps.map((chosen) => chosen.map((step) => ('by' in step ? { ...step, by: 0 } : step)));
    await fc.assert(
      fc.asyncProperty(limits, ofFirst, async (limit, chosen) => {
        const sent = await play(
          chosen.filter((step) => !('passMs' in step)),
          limit,
        );

        const left = sent.map(({ allowed, remaining }) => [allowed, remaining]);
        expect(left).toEqual(left.map((_, place) => [place < limit, Math.max(0, limit - place - 1)]));
      }),
      { numRuns: 50 },
    );
  });

  test('counts all credentials of a person together, and each by itself', async () => {
    const { windows, limiters } = openAll(60);
    const states: RateLimitState[] = [];
    for (let n = 0; n < 200; n += 1) {
      for (const [place, limiter] of limiters.entries()) {
        states.push(await limiter.consume('search', 'organization', `credential ${place}`, 'person'));
      }
      windows.nowMs += 20;
      if (n % 10 === 0) await limiters[n % PROCESSES]!.flush();
    }

    const allowed = states.filter((state) => state.allowed).length;
    expect(allowed).toBeGreaterThanOrEqual(PERSON_FACTOR * 60);
    expect(allowed).toBeLessThanOrEqual(PERSON_FACTOR * 60 + PROCESSES * 2);
  });

  test('waits for the database once a minute for a caller far from its limit', async () => {
    const { windows, limiters } = openAll(120);

    for (let n = 0; n < 40; n += 1) {
      windows.nowMs += 1_400;
      await consume(limiters[0]!);
      await limiters[0]!.flush();
    }

    expect(windows.commands).toEqual({ count: 1, add: 39 });
  });

  test('writes the requests of all callers with one command', async () => {
    const { windows, limiters } = openAll(120);
    const callers = Array.from({ length: 50 }, (_, n) => `credential ${n}`);
    for (const _ of [1, 2]) for (const caller of callers) await consume(limiters[0]!, 'search', caller);

    await limiters[0]!.flush();

    expect(windows.commands).toEqual({ count: 50, add: 1 });
  });

  test('counts every attempt to sign in in the database', async () => {
    const { windows, limiters } = openAll(600);

    for (const limitClass of ['signIn', 'signInAddress', 'signInAccount'] as const) {
      for (const _ of [1, 2, 3]) await consume(limiters[0]!, limitClass);
    }

    expect(windows.commands).toEqual({ count: 9, add: 0 });
  });

  test('counts in the database again after counts were lost, and after ten seconds', async () => {
    const { windows, limiters } = openAll(120);
    const [limiter] = limiters;
    for (const _ of [1, 2]) await consume(limiter!);

    windows.isDown = true;
    await expect(limiter!.flush()).rejects.toThrow('down');
    await expect(consume(limiter!)).rejects.toThrow('down');
    await expect(consume(limiter!)).rejects.toThrow('down');
    windows.isDown = false;
    const after = [await consume(limiter!), await consume(limiter!)];
    windows.nowMs += 11_000;
    await consume(limiter!);

    expect(after.map(({ remaining }) => remaining)).toEqual([118, 117]);
    expect(windows.commands).toEqual({ count: 5, add: 1 });
  });
});

interface Sent extends RateLimitState {
  /** End of the window that the request was counted in. */
  endsMs: number;
  /** Requests within the minute that ends with this one. */
  inMinute: number;
}

async function play(chosen: readonly Step[], limit: number): Promise<Sent[]> {
  const { windows, limiters } = openAll(limit);
  const sent: Sent[] = [];
  const times: number[] = [];
  for (const step of chosen) {
    if ('passMs' in step) windows.nowMs += step.passMs;
    if ('flushOf' in step) await limiters[step.flushOf]!.flush();
    if (!('requests' in step)) continue;
    for (let n = 0; n < step.requests; n += 1) {
      const { nowMs } = windows;
      times.push(nowMs);
      const state = await consume(limiters[step.by]!);
      const inMinute = times.filter((time) => time > nowMs - WINDOW_MS).length;
      sent.push({ ...state, endsMs: Math.round(nowMs + state.resetMs), inMinute });
    }
  }
  return sent;
}

function openAll(limit: number) {
  const windows = new SharedWindows();
  const all = {
    ingest: limit,
    search: limit,
    admin: limit,
    tools: limit,
    signIn: limit,
    signInAddress: limit,
    signInAccount: limit,
  };
  const limiters = Array.from({ length: PROCESSES }, () => new MongoRateLimiter(windows, all, () => windows.nowMs));
  return { windows, limiters };
}

function consume(limiter: MongoRateLimiter, limitClass: RateLimitClass = 'search', credentialId = 'credential') {
  return limiter.consume(limitClass, 'organization', credentialId);
}
