import { parse, v7, validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { RisingIds } from './ids.js';

test('are UUIDs v7 that contain the time', () => {
  const ids = new RisingIds(() => 0x0123456789ab);

  const id = ids.next();

  expect(validate(id)).toBe(true);
  expect(version(id)).toBe(7);
  expect(id.startsWith('01234567-89ab-7')).toBe(true);
});

test('have the layout of the package uuid', () => {
  const made = Array.from({ length: 1_000 }, (_, at) => new RisingIds(() => at * 281_474_976_710).next());

  for (const id of made) {
    const random = parse(id);
    const view = new DataView(random.buffer);
    const msecs = view.getUint32(0) * 2 ** 16 + view.getUint16(4);
    const high = (view.getUint16(6) & 0xfff) * 2 ** 20;
    const seq = high + (view.getUint16(8) & 0x3fff) * 2 ** 6 + (view.getUint8(10) >>> 2);
    expect(v7({ random, msecs, seq })).toBe(id);
  }
  expect(made).toEqual(made.toSorted());
});

test('increase with each call, also within a millisecond and if the clock steps back', () => {
  const clock = [5, 5, 5, 4, 3, 3, 6, 6, 2];
  let calls = 0;
  const ids = new RisingIds(() => clock[Math.floor(calls++ / 100)]!);

  const made = Array.from({ length: clock.length * 100 }, () => ids.next());

  expect(made).toEqual(made.toSorted());
  expect(new Set(made).size).toBe(made.length);
});

test('differ between two instances with the same counter', () => {
  const [one, other] = [new RisingIds(() => 1), new RisingIds(() => 1)];

  const made = Array.from({ length: 1_000 }, () => [one.next(), other.next()]).flat();

  expect(new Set(made.map((id) => id.slice(-12))).size).toBe(made.length);
});
