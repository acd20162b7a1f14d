import { describe, expect, onTestFinished, test, vi } from 'vitest';
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

  test('does not wait while the turn has time left', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const yielder = new Yielder(8);
    clock.mockReturnValue(7.9);
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });

    await yielder.breathe();

    expect(hasTurned).toBe(false);
  });

  test.each([
    { afterMs: 1.9, isLater: false },
    { afterMs: 2, isLater: true },
  ])('begins a long piece in a later turn if this one took 2 ms: $afterMs', async ({ afterMs, isLater }) => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const yielder = new Yielder(8);
    clock.mockReturnValue(afterMs);
    let hasTurned = false;
    setImmediate(() => {
      hasTurned = true;
    });

    await yielder.rest();

    expect(hasTurned).toBe(isLater);
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
