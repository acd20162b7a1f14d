import { expect, test } from 'vitest';
import { SharedRun } from './shared-run.js';

/** A run whose duration the test sets, on the test's clock. */
function counted(tookMs: number) {
  const world = { nowMs: 1_000, runs: 0, fails: false };
  const run = new SharedRun(
    async () => {
      world.runs += 1;
      world.nowMs += tookMs;
      if (world.fails) throw new Error('on purpose');
    },
    () => world.nowMs,
  );
  return { world, run };
}

test('calls before a run begins share it, and later calls share the next', async () => {
  const { world, run } = counted(0);

  const first = [run.run(), run.run()];
  await Promise.all(first);
  await run.run();

  expect(world.runs).toBe(2);
});

test('a run may begin after a pause of four times the duration of the last one', async () => {
  const { world, run } = counted(50);
  await run.run();

  const early = await run.run();
  world.nowMs += 199;
  const soon = await run.run();
  world.nowMs += 1;
  const due = await run.run();

  expect([early, soon, due]).toEqual([{ retryAfterMs: 200 }, { retryAfterMs: 1 }, undefined]);
  expect(world.runs).toBe(2);
});

test('a failed run rejects its calls, and the next one runs', async () => {
  const { world, run } = counted(0);
  world.fails = true;
  const failed = run.run();
  await expect(failed).rejects.toThrow('on purpose');
  world.fails = false;

  expect(await run.run()).toBeUndefined();
  expect(world.runs).toBe(2);
});
