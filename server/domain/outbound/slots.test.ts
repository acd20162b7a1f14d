import { describe, expect, test } from 'vitest';
import type { Lease } from '../fairness/shared-resource.js';
import { DeliverySlots } from './slots.js';

describe('the places of deliveries', () => {
  test('are four for an endpoint, and come back when they are released', () => {
    const { take, isOffered } = slotsAt(0);
    const [first] = [take('a', 'x'), take('a', 'x'), take('a', 'x'), take('a', 'x')];

    expect(isOffered('a', 'x')).toBe(false);
    expect(isOffered('a', 'y')).toBe(true);
    first?.release();
    expect(isOffered('a', 'x')).toBe(true);
  });

  test('are sixteen for a tenant over all of its endpoints', () => {
    const { take, isOffered } = slotsAt(0);
    const taken = Array.from({ length: 16 }, (_, n) => take('a', `endpoint ${n}`));

    expect(isOffered('a', 'another')).toBe(false);
    expect(isOffered('b', 'another')).toBe(true);
    taken[0]?.release();
    expect(isOffered('a', 'another')).toBe(true);
  });

  test('are offered first to tenants that have none, then to those that have fewer', () => {
    const { take, slots } = slotsAt(0);
    for (let n = 0; n < 5; n += 1) take('some', `endpoint ${n}`);
    for (let n = 0; n < 16; n += 1) take('all', `endpoint ${n}`);
    take('few', 'endpoint');

    expect(slots.turns().map(({ tenants }) => [...tenants].sort())).toEqual([
      ['all', 'few', 'some'],
      ['all', 'some'],
      ['all'],
    ]);
  });

  test('are offered to nobody while all are taken', () => {
    const { take, slots } = slotsAt(0);
    for (let n = 0; n < 128; n += 1) take(`tenant ${n}`, 'endpoint');

    expect(slots.turns()).toEqual([]);
    expect(slots.use).toEqual({ inUse: 128, waiting: 0, refused: 0 });
  });

  test('shrink to one while the endpoint is slow, and grow again when it is quick', () => {
    const { take, isOffered, clock } = slotsAt(0);
    const use = (forMs: number) => {
      const place = take('a', 'x');
      clock.ms += forMs;
      place.release();
    };
    for (let n = 0; n < 5; n += 1) use(10_000);
    const held = take('a', 'x');
    expect(isOffered('a', 'x')).toBe(false);
    held.release();

    for (let n = 0; n < 20; n += 1) use(10);
    take('a', 'x');

    expect(isOffered('a', 'x')).toBe(true);
  });

  test('shrink from the moment that a delivery takes long, before it is done', () => {
    const { take, isOffered, clock } = slotsAt(0);
    take('a', 'x');
    clock.ms = 3_000;

    expect(isOffered('a', 'x')).toBe(false);
  });

  test('are counted once for a place that is released twice', () => {
    const { take, slots } = slotsAt(0);
    const [first] = [take('a', 'x'), take('a', 'x')];

    first?.release();
    first?.release();

    expect(slots.use.inUse).toBe(1);
  });
});

function slotsAt(ms: number) {
  const clock = { ms };
  const slots = new DeliverySlots(() => clock.ms);
  const take = (tenant: string, name: string): Lease => slots.take({ tenant, name });
  const isOffered = (tenant: string, name: string) =>
    slots.turns().some(({ tenants, lanes }) => !tenants.includes(tenant) && !lanes.includes(`${tenant}/${name}`));
  return { clock, slots, take, isOffered };
}
