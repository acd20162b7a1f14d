import { expect, test, vi } from 'vitest';
import { measureEventLoopDelay } from './overload.js';

test('a process that is blocked repeatedly is late, and soon recovers afterwards', async () => {
  const delayMs = measureEventLoopDelay();

  const before = delayMs();
  await vi.waitFor(() => expect(holdUp(600, delayMs)).toBeGreaterThan(550), { timeout: 10_000 });
  await vi.waitFor(() => expect(delayMs()).toBeLessThan(500), { timeout: 10_000 });

  expect(before).toBe(0);
});

function holdUp(milliseconds: number, delayMs: () => number): number {
  const start = performance.now();
  while (performance.now() - start < milliseconds);
  return delayMs();
}
