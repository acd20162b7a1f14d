import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { gate } from '../../testing/contracts/job-runs.js';
import { LargeBodies } from './large-bodies.js';

describe('large bodies', () => {
  test('are read four at a time, whatever is announced or not', async () => {
    const bodies = new LargeBodies(10);
    const hold = gate();
    const reading = [11, 1_000, undefined, 12].map((length) => bodies.admit(announcing(length), () => hold.opened));

    await expect(bodies.admit(announcing(undefined), async () => 'read')).rejects.toMatchObject({ status: 503 });
    await expect(bodies.admit(announcing(11), async () => 'read')).rejects.toMatchObject({ status: 503 });
    hold.open();
    await Promise.all(reading);

    expect(await bodies.admit(announcing(11), async () => 'read')).toBe('read');
  });

  test('leave their place when they cannot be read', async () => {
    const bodies = new LargeBodies(10);
    const broken = Array.from({ length: 9 }, () => () => Promise.reject(new Error('gone')));

    for (const read of broken) await expect(bodies.admit(announcing(11), read)).rejects.toThrow('gone');
  });

  test('do not hold up ordinary ones', async () => {
    const bodies = new LargeBodies(10);
    const hold = gate();
    const reading = [11, 11, 11, 11].map((length) => bodies.admit(announcing(length), () => hold.opened));

    expect(await bodies.admit(announcing(10), async () => 'read')).toBe('read');
    hold.open();
    await Promise.all(reading);
  });
});

function announcing(length: number | undefined): IncomingMessage {
  return { headers: length === undefined ? {} : { 'content-length': String(length) } } as IncomingMessage;
}
