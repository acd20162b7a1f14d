import { expect, test } from 'vitest';
import { SpareTime } from './spare-time.js';

test('all time is spare until it has been measured for 20 milliseconds', () => {
  const loop = { idle: 500, active: 100 };
  const spareTime = new SpareTime(() => ({ ...loop }));

  loop.active += 19;

  expect(spareTime.share).toBe(1);
});

test('time is spare while the event loop waits, and not while it works', () => {
  const loop = { idle: 500, active: 100 };
  const spareTime = new SpareTime(() => ({ ...loop }));

  loop.active += 20;
  const worked = spareTime.share;
  loop.idle += 15;
  const tooSoon = spareTime.share;
  loop.active += 5;
  const waited = spareTime.share;

  expect([worked, tooSoon, waited]).toEqual([0, 0, 0.75]);
});

test('a thread that has only worked has no spare time', () => {
  const spareTime = new SpareTime();

  for (const end = performance.now() + 50; performance.now() < end; );

  expect(spareTime.share).toBe(0);
});
