import { describe, expect, test } from 'vitest';
import { EndpointSlots, type Slot } from './slots.js';

describe('the places of an endpoint', () => {
  test('are four, and come back when they are given back', () => {
    const { take } = slotsAt(0);
    const taken = [take('a'), take('a'), take('a'), take('a')];

    expect(take('a')).toEqual({ waitMs: expect.any(Number) });
    released(taken[0]);
    expect(take('a')).toHaveProperty('release');
  });

  test('of one are not those of another', () => {
    const { take } = slotsAt(0);
    for (let n = 0; n < 4; n++) take('slow');

    expect(take('slow')).toHaveProperty('waitMs');
    expect(take('other')).toHaveProperty('release');
  });

  test('shrink to one while the endpoint is slow, and grow again when it is quick', () => {
    const { take, clock } = slotsAt(0);
    for (let n = 0; n < 5; n++) use(take('a'), clock, 10_000);
    const [first, second] = [take('a'), take('a')];
    released(first);
    for (let n = 0; n < 20; n++) use(take('a'), clock, 10);
    const quick = [take('a'), take('a'), take('a'), take('a')];

    expect(second).toHaveProperty('waitMs');
    expect(quick.every((taken) => 'release' in taken)).toBe(true);
  });

  test('count as slow from the moment that a delivery takes long, before it is done', () => {
    const { take, clock } = slotsAt(0);
    take('a');
    clock.ms = 3_000;

    expect(take('a')).toHaveProperty('waitMs');
  });

  test('tell those who wait to come back one after the other, as the endpoint takes them', () => {
    const { take, clock } = slotsAt(0);
    for (let n = 0; n < 9; n++) use(take('a'), clock, 4_000);
    take('a');

    const waits = [take('a'), take('a'), take('a')].map((taken) => ('waitMs' in taken ? taken.waitMs : 0));

    const [one = 0, two = 0, three = 0] = waits;
    expect(one).toBeGreaterThan(3_000);
    expect(one).toBeLessThanOrEqual(4_000);
    expect(two - one).toBeCloseTo(one, -1);
    expect(three - two).toBeCloseTo(one, -1);
  });

  test('let nobody wait for longer than five minutes, or come back at once', () => {
    const { take, clock } = slotsAt(0);
    for (let n = 0; n < 4; n++) take('quick');
    for (let n = 0; n < 9; n++) use(take('slow'), clock, 15_000);
    take('slow');

    const waits = Array.from({ length: 200 }, () => take('slow')).map((taken) => 'waitMs' in taken && taken.waitMs);

    expect(take('quick')).toEqual({ waitMs: expect.any(Number) });
    expect(Math.max(...waits.map(Number))).toBe(5 * 60_000);
    expect(Math.min(...waits.map(Number))).toBeGreaterThanOrEqual(50);
  });
});

function slotsAt(ms: number) {
  const clock = { ms };
  const slots = new EndpointSlots(() => clock.ms);
  return { clock, take: (endpoint: string) => slots.take(endpoint) };
}

function use(taken: Slot | { waitMs: number }, clock: { ms: number }, forMs: number): void {
  clock.ms += forMs;
  released(taken);
}

function released(taken: Slot | { waitMs: number } | undefined): void {
  if (!taken || !('release' in taken)) throw new Error('no place was taken');
  taken.release();
}
