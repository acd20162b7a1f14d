import { expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../logger.js';
import { Tending } from './tending.js';

function tendingWith(tend: (stopping: AbortSignal) => Promise<void>): Tending {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  return new Tending(tend, { everyMs: 1_000, logger: createLogger('silent') });
}

test('upkeep runs repeatedly, one run at a time, even after a failed run', async () => {
  const ends: (() => void)[] = [];
  const tend = vi.fn(() => new Promise<void>((_, reject) => ends.push(() => reject(new Error('on purpose')))));
  const tending = tendingWith(tend);

  await vi.advanceTimersByTimeAsync(3_000);
  expect(tend).toHaveBeenCalledTimes(1);
  ends[0]!();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(tend).toHaveBeenCalledTimes(2);
  ends[1]!();
  await tending[Symbol.asyncDispose]();
});

test('disposing stops the run under way and waits for it', async () => {
  let isOver = false;
  const tending = tendingWith(async (stopping) => {
    await new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve()));
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);

  await tending[Symbol.asyncDispose]();

  expect(isOver).toBe(true);
});
