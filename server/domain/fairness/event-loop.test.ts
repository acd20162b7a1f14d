import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { countTurns } from '../../testing/fixtures/count-turns.js';
import { EventLoop } from './event-loop.js';

describe('EventLoop', () => {
  let nowMs: number;
  /** Returns the number of the current turn. */
  let turn: () => number;

  beforeEach(async () => {
    nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    turn = countTurns();
    await nextTurn();
  });

  test('measures a turn from the first call in it', async () => {
    const loop = new EventLoop();
    nowMs = 10;
    loop.measure();
    nowMs = 13;
    loop.measure();

    const elapsed = loop.elapsed();
    await nextTurn();

    expect([elapsed, loop.elapsed()]).toEqual([3, 0]);
  });

  test('gives each caller a turn of its own, in order, and measures it from its start', async () => {
    const loop = new EventLoop();
    const seen: [string, number][] = [];
    const caller = async (name: string) => {
      await loop.nextTurn();
      seen.push([name, turn()]);
      nowMs += 2;
      expect(loop.elapsed()).toBe(2);
    };

    await Promise.all(['a', 'b', 'c'].map(caller));

    const [[, first]] = seen as [[string, number]];
    expect(seen).toEqual([
      ['a', first],
      ['b', first + 1],
      ['c', first + 2],
    ]);
  });

  test.each([
    { ms: 4, passed: 0 },
    { ms: 4.1, passed: 1 },
  ])('lets $passed turns pass after one of $ms ms', async ({ ms, passed }) => {
    const loop = new EventLoop();
    const before = turn();
    loop.measure();
    const waiting = loop.nextTurn();
    nowMs += ms;

    await waiting;

    expect(turn() - before).toBe(1 + passed);
  });

  test('gives every second turn if all are long', async () => {
    const loop = new EventLoop();
    const got = [turn()];

    for (let n = 0; n < 4; n += 1) {
      loop.measure();
      nowMs += 50;
      const passing = setImmediate(() => {
        loop.measure();
        nowMs += 50;
      });
      await loop.nextTurn();
      clearImmediate(passing);
      got.push(turn());
    }

    expect(got.map((each) => each - got[0]!)).toEqual([0, 2, 4, 6, 8]);
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
