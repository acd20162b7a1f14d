import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventLoop } from '../../../domain/fairness/event-loop.js';
import { Yielder } from './yielder.js';

describe('Yielder', () => {
  test('lets timers run between long pieces of work that started together', async () => {
    const yielder = new Yielder(8);
    const order: string[] = [];
    let turns = 0;
    const ticking = () => {
      turns += 1;
      if (order.length < 6) setImmediate(ticking);
    };
    setImmediate(ticking);

    await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        await yielder.breathe();
        order.push(`${n} in turn ${turns}`);
        work(10);
      }),
    );

    // Each piece exceeds the limit of a turn, so no two share a turn.
    expect(new Set(order.map((each) => each.split(' ').at(-1))).size).toBe(6);
    expect(order.map((each) => Number(each[0]))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test.each([
    { call: 'breathe', afterMs: 7.9, isLater: false },
    { call: 'breathe', afterMs: 8, isLater: true },
    { call: 'rest', afterMs: 1.9, isLater: false },
    { call: 'rest', afterMs: 2, isLater: true },
  ] as const)('$call waits for a later turn if this one took too long: $afterMs ms', async (each) => {
    await new Promise((resolve) => setImmediate(resolve));
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });
    eventLoop.measure();
    clock.mockReturnValue(each.afterMs);

    await new Yielder(8)[each.call]();

    expect(hasTurned).toBe(each.isLater);
  });

  test('gives others a turn while it deletes many rows', async () => {
    const yielder = new Yielder(0);
    let [left, turns] = [2_300, 0];
    const count = () => {
      turns += 1;
      if (left > 0) setImmediate(count);
    };
    setImmediate(count);

    await yielder.deleteMany((limit) => {
      const deleted = Math.min(limit, left);
      left -= deleted;
      return deleted;
    });

    expect(left).toBe(0);
    expect(turns).toBeGreaterThanOrEqual(4);
  });
});

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
