import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SpareTime } from './spare-time.js';

function workFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('time is left while the event loop waits, and not after it has worked', async () => {
  const spareTime = new SpareTime();
  const first = spareTime.isLeft;

  await setTimeout(0);
  workFor(200);
  const worked = spareTime.isLeft;
  workFor(5);
  const still = spareTime.isLeft;
  await setTimeout(500);
  const waited = spareTime.isLeft;

  expect([first, worked, still, waited]).toEqual([true, false, false, true]);
});
