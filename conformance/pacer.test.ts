import { describe, expect, test } from 'vitest';
import { Pacer } from './pacer.js';

const KEY = 'ingest one';

function told(remaining: number, resetSeconds: number): Headers {
  return new Headers({
    'x-ratelimit-remaining': String(remaining),
    ratelimit: `"ingest";r=${remaining};t=${resetSeconds}`,
  });
}

/** A pacer whose time passes only while it waits. */
function pacerOnClock() {
  const clock = { now: 1_000_000, waitedMs: 0 };
  const sleep = async (ms: number) => {
    clock.now += ms;
    clock.waitedMs += ms;
  };
  return { clock, pacer: new Pacer(() => clock.now, sleep) };
}

describe('the pacer', () => {
  test('lets as many requests go as are left, then waits until the count starts anew', async () => {
    const { clock, pacer } = pacerOnClock();
    await pacer.turn(KEY);
    pacer.learn(KEY, told(2, 40));

    await pacer.turn(KEY);
    await pacer.turn(KEY);
    expect(clock.waitedMs).toBe(0);
    await pacer.turn(KEY);

    expect(clock.waitedMs).toBeGreaterThanOrEqual(40_000);
  });

  test('sends one request ahead while nothing is known, and the others after its answer', async () => {
    const { pacer } = pacerOnClock();
    const gone: string[] = [];
    await pacer.turn(KEY);

    const others = [1, 2].map((number) => pacer.turn(KEY).then(() => gone.push(`request ${number}`)));
    await Promise.resolve();
    expect(gone).toEqual([]);
    pacer.learn(KEY, told(10, 60));
    await Promise.all(others);

    expect(gone).toHaveLength(2);
  });

  test('counts what is under way though its answers come late', async () => {
    const { clock, pacer } = pacerOnClock();
    await pacer.turn(KEY);
    pacer.learn(KEY, told(3, 60));

    await pacer.turn(KEY);
    await pacer.turn(KEY);
    // The first of the two is answered before the second was counted there.
    pacer.learn(KEY, told(2, 60));
    await pacer.turn(KEY);
    expect(clock.waitedMs).toBe(0);
    await pacer.turn(KEY);

    expect(clock.waitedMs).toBeGreaterThan(0);
  });

  test('keeps credentials apart', async () => {
    const { clock, pacer } = pacerOnClock();
    await pacer.turn(KEY);
    pacer.learn(KEY, told(0, 60));

    await pacer.turn('ingest another');

    expect(clock.waitedMs).toBe(0);
  });

  test('holds back after a refusal for as long as it says', async () => {
    const { clock, pacer } = pacerOnClock();
    await pacer.turn(KEY);
    pacer.learn(KEY, told(5, 60));
    pacer.holdBack(KEY, 7_000);

    await pacer.turn(KEY);

    expect(clock.waitedMs).toBeGreaterThanOrEqual(7_000);
  });
});
