import { describe, expect, test } from 'vitest';
import { RefusalCounter } from './refusal-counter.js';
import type { Refusals } from './refusals.js';

const [ONE, OTHER] = ['one', 'other'].map((id) => ({ id, organizationId: `of ${id}` })) as [
  { id: string; organizationId: string },
  { id: string; organizationId: string },
];

describe('RefusalCounter', () => {
  test('adds the refusals that are not stored to those that are', () => {
    const counter = new RefusalCounter();
    expect(counter.of(ONE)).toBeUndefined();

    counter.count(ONE, 'signature', 5);
    counter.count(ONE, 'body', 6);

    const refusals = { count: 7, lastAt: 1, lastReason: 'disabled' } as const;
    expect(counter.of(ONE)).toEqual({ count: 2, lastAt: 6, lastReason: 'body' });
    expect(counter.of({ ...ONE, refusals })).toEqual({ count: 9, lastAt: 6, lastReason: 'body' });
    expect(counter.of({ ...OTHER, refusals })).toEqual(refusals);
  });

  test('stores one sum for each webhook, once', async () => {
    const counter = new RefusalCounter();
    for (let at = 1; at <= 1_000; at += 1) counter.count(ONE, 'signature', at);
    counter.count(OTHER, 'body', 3);
    const { written, write } = recording();

    await counter.flush(write);
    await counter.flush(write);

    expect(written).toEqual([
      ['of one', 'one', { count: 1_000, lastAt: 1_000, lastReason: 'signature' }],
      ['of other', 'other', { count: 1, lastAt: 3, lastReason: 'body' }],
    ]);
  });

  test('keeps what could not be stored, and stores the rest', async () => {
    const counter = new RefusalCounter();
    counter.count(ONE, 'signature', 1);
    counter.count(OTHER, 'body', 2);
    const { written, write } = recording();

    const failing = counter.flush(async (organizationId, refusals) => {
      if (organizationId === ONE.organizationId) {
        counter.count(ONE, 'disabled', 9);
        throw new Error('on purpose');
      }
      await write(organizationId, refusals);
    });

    await expect(failing).rejects.toThrow('on purpose');
    expect(counter.of(ONE)).toEqual({ count: 2, lastAt: 9, lastReason: 'disabled' });
    await counter.flush(write);
    expect(written.map(([, id, { count }]) => [id, count])).toEqual([
      ['other', 1],
      ['one', 2],
    ]);
  });

  test('counts for a limited number of webhooks', async () => {
    const counter = new RefusalCounter();
    for (let n = 0; n < 10_001; n += 1) counter.count({ id: `w${n}`, organizationId: 'o' }, 'signature', n);
    const { written, write } = recording();

    await counter.flush(write);

    expect(written).toHaveLength(10_000);
  });
});

function recording() {
  const written: [string, string, Refusals][] = [];
  const write = async (organizationId: string, refusals: ReadonlyMap<string, Refusals>) => {
    for (const [id, each] of refusals) written.push([organizationId, id, each]);
  };
  return { written, write };
}
