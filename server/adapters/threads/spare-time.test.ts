import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SpareTime } from './spare-time.js';

function workFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('time is spare while the event loop waits, and not while it works', async () => {
  const spareTime = new SpareTime();
  const first = spareTime.share;

  await setTimeout(0);
  workFor(200);
  const worked = spareTime.share;
  workFor(5);
  const still = spareTime.share;
  await setTimeout(500);
  const waited = spareTime.share;

  expect(first).toBe(1);
  expect(worked).toBeLessThan(0.3);
  expect(still).toBe(worked);
  expect(waited).toBeGreaterThan(0.7);
});
