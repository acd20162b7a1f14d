import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Context } from '../context.js';
import { MAX_STARTS, startInTurn } from './start-in-turn.js';

const FLOODING = '192.0.2.1';
const OTHER = '198.51.100.1';

test('a burst starts in several turns of the event loop, in order', async () => {
  const { send, started } = newStarts();
  const sent = Array.from({ length: 3 * MAX_STARTS }, (_, n) => send(FLOODING, n));

  const counts = [started.length];
  while (started.length < sent.length) {
    await setImmediate();
    counts.push(started.length);
  }
  await Promise.all(sent);

  expect(counts[0]).toBe(MAX_STARTS);
  for (const [n, count] of counts.entries()) expect(count - (counts[n - 1] ?? 0)).toBeLessThanOrEqual(MAX_STARTS);
  expect(started.map(({ n }) => n)).toEqual(Array.from(sent.keys()));
});

test('a request from another address starts in the next turn', async () => {
  const { send, started } = newStarts();
  const burst = Array.from({ length: 10 * MAX_STARTS }, (_, n) => send(FLOODING, n));
  const other = send(OTHER, 0);

  await other;

  expect(started.length).toBeLessThanOrEqual(2 * MAX_STARTS);
  await Promise.all(burst);
});

test('requests that come one by one start immediately', async () => {
  const { send, started } = newStarts();

  for (let n = 0; n < 3 * MAX_STARTS; n += 1) {
    const sent = send(FLOODING, n);
    expect(started).toHaveLength(n + 1);
    await sent;
    await setImmediate();
  }
});

/** The middleware, and the requests that it has started. */
function newStarts() {
  const middleware = startInTurn();
  const started: { ip: string; n: number }[] = [];
  const send = async (ip: string, n: number) => {
    const ctx = { req: {} as IncomingMessage, state: { requestId: 'r', ip } };
    await middleware(ctx as Context, async () => {
      started.push({ ip, n });
    });
  };
  return { send, started };
}
