import { describe, expect, test } from 'vitest';
import { gate } from '../../../testing/contracts/job-runs.js';
import { KeyedQueue } from './keyed-queue.js';

describe('KeyedQueue', () => {
  test('runs what is of one key one after the other, in the order in which it came', async () => {
    const queue = new KeyedQueue();
    const first = gate();
    const log: string[] = [];

    const running = [
      queue.run('a', async () => {
        await first.opened;
        log.push('first');
      }),
      queue.run('a', async () => log.push('second')),
      queue.run('a', async () => log.push('third')),
    ];
    await new Promise(setImmediate);
    expect(log).toEqual([]);
    first.open();
    await Promise.all(running);

    expect(log).toEqual(['first', 'second', 'third']);
  });

  test('lets no key wait for another', async () => {
    const queue = new KeyedQueue();
    const stuck = gate();
    const waiting = queue.run('a', () => stuck.opened);

    await expect(queue.run('b', async () => 'done')).resolves.toBe('done');
    stuck.open();
    await waiting;
  });

  test('goes on after a failure, and gives each its own result', async () => {
    const queue = new KeyedQueue();

    const [failed, next] = await Promise.allSettled([
      queue.run('a', () => Promise.reject(new Error('on purpose'))),
      queue.run('a', async () => 2),
    ]);

    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'on purpose' } });
    expect(next).toEqual({ status: 'fulfilled', value: 2 });
  });
});
