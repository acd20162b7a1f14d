import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { DEADLINES } from '../../../domain/fairness/bounds.js';
import { listen } from '../../../testing/processes/listen.js';
import { AnswerDeadlines } from './answer-deadlines.js';

const PATIENT = { timeout: 60_000 };
/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(32 * 1_024 * 1_024);

afterEach(() => vi.useRealTimers());

test('an answer that is not read in time is cut off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { req, res } = await unread();
  const idle = vi.spyOn(req.socket, 'setTimeout');

  new AnswerDeadlines().begin({ req, res });
  await setImmediate();

  expect(idle).toHaveBeenCalledWith(DEADLINES.answerIdleMs);
  vi.advanceTimersByTime(DEADLINES.answerMs - 1);
  expect(res.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(res.destroyed).toBe(true);
});

test('an answer that ends later than others of its turn has its own timers, and loses them at its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const deadlines = new AnswerDeadlines();
  const first = await unread();
  const second = await unread();

  deadlines.begin(first);
  deadlines.begin(second);
  await setImmediate();
  expect(vi.getTimerCount()).toBe(2);
  first.res.destroy();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), PATIENT);
});

test('an answer that its connection takes at once has no timers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const deadlines = new AnswerDeadlines();
  const idle: unknown[] = [];
  const port = await listen((req, res) => {
    const set = vi.spyOn(req.socket, 'setTimeout');
    deadlines.begin({ req, res });
    res.end('short');
    void setImmediate().then(() => idle.push(...set.mock.calls.filter(([ms]) => ms === DEADLINES.answerIdleMs)));
  });

  const [answer] = await once(ask(port), 'data');

  expect(String(answer)).toContain('short');
  await setImmediate();
  expect(idle).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

/** Returns an exchange whose client does not read the answer. */
async function unread(): Promise<{ req: IncomingMessage; res: ServerResponse }> {
  let resolve: (exchange: { req: IncomingMessage; res: ServerResponse }) => void = () => undefined;
  const begun = new Promise<{ req: IncomingMessage; res: ServerResponse }>((each) => {
    resolve = each;
  });
  const port = await listen((req, res) => {
    res.end(LARGE);
    resolve({ req, res });
  });
  ask(port).pause();
  return begun;
}

/** Sends a request without a client of its own timers. */
function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return socket;
}
