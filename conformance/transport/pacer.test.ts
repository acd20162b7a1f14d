import { describe, expect, test } from 'vitest';
import { Pacer } from './pacer.js';

const KEY = { own: 'ingest one' };
const OTHER = { own: 'ingest another' };
const ASSUMED = 60;

function told(remaining: number, resetSeconds: number, limit = 10): Headers {
  return new Headers({
    'x-ratelimit-limit': String(limit),
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

/** A pacer that knows what is left of a key. */
function pacerKnowing(remaining: number, resetSeconds = 60) {
  const { clock, pacer } = pacerOnClock();
  pacer.takes(KEY);
  pacer.learn(KEY, told(remaining, resetSeconds), ASSUMED);
  return { clock, pacer };
}

function taken(pacer: Pacer, times: number): boolean[] {
  return Array.from({ length: times }, () => pacer.takes(KEY));
}

describe('the pacer', () => {
  test('lets as many requests go as are left, then none until the count starts anew', async () => {
    const { clock, pacer } = pacerKnowing(2, 40);

    expect(taken(pacer, 3)).toEqual([true, true, false]);
    await pacer.nextTurn([KEY]);

    expect(clock.waitedMs).toBeGreaterThanOrEqual(40_000);
    expect(pacer.takes(KEY)).toBe(true);
  });

  test('sends one request ahead while nothing is known, and the others after its answer', async () => {
    const { clock, pacer } = pacerOnClock();

    expect(taken(pacer, 2)).toEqual([true, false]);
    expect(pacer.isLearning([KEY])).toBe(true);
    const next = pacer.nextTurn([KEY]);
    pacer.learn(KEY, told(10, 60), ASSUMED);
    await next;

    expect(clock.waitedMs).toBe(0);
    expect(taken(pacer, 2)).toEqual([true, true]);
  });

  test('counts what is under way though its answers come late', () => {
    const { pacer } = pacerKnowing(3);

    taken(pacer, 2);
    // The first of the two is answered before the second was counted there.
    pacer.learn(KEY, told(2, 60), ASSUMED);

    expect(taken(pacer, 2)).toEqual([true, false]);
  });

  test('keeps credentials apart', () => {
    const { pacer } = pacerKnowing(0);

    expect([pacer.takes(KEY), pacer.takes(OTHER)]).toEqual([false, true]);
  });

  test('waits for whichever of several keys comes first', async () => {
    const { clock, pacer } = pacerKnowing(0, 50);
    pacer.takes(OTHER);
    pacer.learn(OTHER, told(0, 20), ASSUMED);

    await pacer.nextTurn([KEY, OTHER]);

    expect(clock.waitedMs).toBeLessThan(50_000);
    expect([pacer.takes(KEY), pacer.takes(OTHER)]).toEqual([false, true]);
  });

  test('learns what is left of a limit that several credentials share, from any of them', async () => {
    const { clock, pacer } = pacerOnClock();
    const shared = 'ingest of somebody';
    const [one, other] = [
      { ...KEY, shared },
      { ...OTHER, shared },
    ];
    const ofPerson = told(1, 30);
    ofPerson.set('ratelimit', '"ingest-person";r=1;t=30');
    for (const keys of [one, other]) pacer.takes(keys);
    pacer.learn(one, told(9, 60), ASSUMED);
    pacer.learn(other, ofPerson, ASSUMED);

    expect([pacer.takes(one), pacer.takes(one), pacer.isUsedUp(shared)]).toEqual([true, false, true]);
    await pacer.nextTurn([one, other]);

    expect(clock.waitedMs).toBeGreaterThanOrEqual(30_000);
    expect([pacer.isUsedUp(shared), pacer.takes(one)]).toEqual([false, true]);
  });

  test('leaves to others what it is asked to leave', () => {
    const { pacer } = pacerKnowing(7);
    const half = (limit: number) => limit / 2;

    expect([1, 2, 3].map(() => pacer.takes(KEY, half))).toEqual([true, true, false]);
    expect(pacer.takes(KEY)).toBe(true);
  });

  test('holds back after a refusal for as long as it says', async () => {
    const { clock, pacer } = pacerKnowing(5);
    pacer.holdBack(KEY, new Headers(), 7_000);

    expect(pacer.takes(KEY)).toBe(false);
    await pacer.nextTurn([KEY]);

    expect(clock.waitedMs).toBeGreaterThanOrEqual(7_000);
    expect(pacer.takes(KEY)).toBe(true);
  });

  test('counts for itself where no answer tells of a limit, until one does', () => {
    const { pacer } = pacerOnClock();
    pacer.takes(KEY);
    pacer.learn(KEY, new Headers(), 3);

    expect(taken(pacer, 3)).toEqual([true, true, false]);
    pacer.learn(KEY, told(8, 60), 3);

    expect(taken(pacer, 9)).toEqual([...Array.from({ length: 8 }, () => true), false]);
  });

  test('takes back the turn of a request that was not counted', () => {
    const { pacer } = pacerKnowing(1);
    pacer.takes(KEY);
    pacer.giveBack(KEY);

    expect(taken(pacer, 2)).toEqual([true, false]);
  });

  test('lets another go ahead where the one that went ahead learned nothing', async () => {
    const { pacer } = pacerOnClock();
    pacer.takes(KEY);
    const next = pacer.nextTurn([KEY]);
    pacer.giveBack(KEY);
    await next;

    expect(pacer.takes(KEY)).toBe(true);
  });
});
