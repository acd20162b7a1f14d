import { describe, expect, test } from 'vitest';
import type { Lease } from '../fairness/shared-resource.js';
import { DeliverySlots } from './slots.js';

describe('the slots of deliveries', () => {
  test('are four per endpoint, and can be reused after release', () => {
    const { take, isOffered } = slotsAt(0);
    const [first] = [take('a', 'x'), take('a', 'x'), take('a', 'x'), take('a', 'x')];

    expect(isOffered('a', 'x')).toBe(false);
    expect(isOffered('a', 'y')).toBe(true);
    first?.release();
    expect(isOffered('a', 'x')).toBe(true);
  });

  test('are sixteen per tenant over all its endpoints', () => {
    const { take, isOffered } = slotsAt(0);
    const taken = Array.from({ length: 16 }, (_, n) => take('a', `endpoint ${n}`));

    expect(isOffered('a', 'another')).toBe(false);
    expect(isOffered('b', 'another')).toBe(true);
    taken[0]?.release();
    expect(isOffered('a', 'another')).toBe(true);
  });

  test('are offered first to tenants without deliveries, then to those with fewer', () => {
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

  test('are offered to nobody while all are in use', () => {
    const { take, slots } = slotsAt(0);
    for (let n = 0; n < 128; n += 1) take(`tenant ${n}`, 'endpoint');

    expect(slots.turns()).toEqual([]);
    expect(slots.use).toEqual({ inUse: 128, waiting: 0, refused: 0 });
  });

  test('decrease to one while the endpoint is slow, and increase when it is fast again', () => {
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

  test('decrease as soon as a running delivery takes long', () => {
    const { take, isOffered, clock } = slotsAt(0);
    take('a', 'x');
    clock.ms = 3_000;

    expect(isOffered('a', 'x')).toBe(false);
  });

  test('are released only once', () => {
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
