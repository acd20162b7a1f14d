import { describe, expect, test, vi } from 'vitest';
import { sharedResource } from '../../../domain/fairness/bounds.js';
import type { Owner } from '../../../domain/fairness/owner.js';
import { UnavailableError } from '../../../errors.js';
import { measureEventLoopDelay, OverloadGuard } from './overload.js';

describe('while the event loop is late', () => {
  test('an owner that is alone is never rejected', () => {
    const { ask } = lateGuard();

    expect(Array.from({ length: 64 }, () => ask('a'))).toEqual(Array(64).fill(true));
  });

  test('an owner with many requests is rejected until no other one was there for 10 s', () => {
    const { ask, pass } = lateGuard();
    ask('b');
    ask('c');
    const early = Array.from({ length: 9 }, () => ask('a'));

    pass(10_000);
    const present = ask('a');
    pass(1);
    const alone = ask('a');
    const bystander = ask('b');
    const again = ask('a');

    expect(early).toEqual([...Array(8).fill(true), false]);
    expect([present, alone, bystander, again]).toEqual([false, true, true, false]);
  });
});

test('a process that is blocked repeatedly is late, and soon recovers afterwards', async () => {
  const delayMs = measureEventLoopDelay();

  const before = delayMs();
  await vi.waitFor(() => expect(holdUp(600, delayMs)).toBeGreaterThan(550), { timeout: 10_000 });
  await vi.waitFor(() => expect(delayMs()).toBeLessThan(500), { timeout: 10_000 });

  expect(before).toBe(0);
});

function holdUp(milliseconds: number, delayMs: () => number): number {
  const start = performance.now();
  while (performance.now() - start < milliseconds);
  return delayMs();
}

/** Returns a guard of a late event loop. Requests that it lets pass stay in flight. */
function lateGuard() {
  let now = 0;
  const guard = new OverloadGuard(
    () => 501,
    () => now,
  );
  const requests = sharedResource('requests');
  const ask = (id: string): boolean => {
    const owner: Owner = { kind: 'tenant', id };
    try {
      guard.assertInTime(requests, owner);
    } catch (error) {
      if (error instanceof UnavailableError) return false;
      throw error;
    }
    requests.take([owner]);
    return true;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { ask, pass };
}
