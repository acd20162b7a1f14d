import { describe, expect, onTestFinished, test } from 'vitest';
import { UndiciSender } from '../../adapters/http-sender/undici-sender.js';
import type { Sent } from '../../ports/http-sender.js';
import { RecordingSender } from '../../testing/fixtures/recording-sender.js';
import { sendingWorld } from '../../testing/fixtures/sending-world.js';
import { httpReceiver, type Receiver, tcpReceiver } from '../../testing/processes/receiver.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Every behaviour of an endpoint: its name, the receiver, the result of each attempt, and the number of attempts. */
const BEHAVIOURS: readonly (readonly [string, () => Promise<Receiver>, Sent, number])[] = [
  ['200', () => answering(200), { status: 200 }, 1],
  ['with a redirect', () => answering(302, { location: 'https://example.com/' }), { status: 302 }, 4],
  ['400', () => answering(400), { status: 400 }, 4],
  ['410', () => answering(410), { status: 410 }, 1],
  ['429 with Retry-After', () => answering(429, { 'retry-after': '60' }), { status: 429 }, 4],
  ['500', () => answering(500), { status: 500 }, 4],
  ['never', () => httpReceiver(() => {}), { failure: 'timeout' }, 4],
  ['with a reset', () => tcpReceiver((socket) => socket.resetAndDestroy()), { failure: 'connection' }, 4],
  ['one byte at a time', dripping, { failure: 'timeout' }, 4],
  ['10 MiB', () => httpReceiver((response) => response.end(Buffer.alloc(10 * 1024 * 1024))), { status: 200 }, 1],
  ['without TLS on an https URL', () => withoutTls(), { failure: 'tls' }, 4],
];

describe('an endpoint that answers', () => {
  test.each(BEHAVIOURS)('%s gets the right number of attempts, at the right times', async (_, open, last, attempts) => {
    const receiver = await open();
    const timesOut = 'failure' in last && last.failure === 'timeout';
    const sender = new UndiciSender({ allowLoopback: true, ...(timesOut && { timeoutMs: 100 }) });
    onTestFinished(() => sender[Symbol.asyncDispose]());
    const world = await sendingWorld({ httpSender: sender }, receiver.url);

    const { pauses, delivery } = await world.deliver();

    const isThrottling = 'status' in last && last.status === 429;
    const expected = [isThrottling ? MINUTE_MS : 5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
    expect(pauses).toEqual(expected.slice(0, attempts - 1));
    expect(delivery).toMatchObject({
      attempts,
      status: 'status' in last && last.status === 200 ? 'delivered' : 'failed',
      lastAttempt: last,
    });
    expect(delivery).not.toHaveProperty('nextAttemptAt');
  });
});

describe('a delivery that failed', () => {
  test('is retried up to 20 % sooner or later, so that retries spread', async () => {
    for (const [random, pauses] of [
      [0, [4 * SECOND_MS, 4 * MINUTE_MS, 24 * MINUTE_MS]],
      [1, [6 * SECOND_MS, 6 * MINUTE_MS, 36 * MINUTE_MS]],
    ] as const) {
      const world = await sendingWorld({
        httpSender: RecordingSender.answering({ status: 500 }),
        random: () => random,
      });

      expect((await world.deliver()).pauses).toEqual(pauses);
    }
  });

  test('is sent with the same id and body and a new timestamp each time', async () => {
    const sender = RecordingSender.answering({ failure: 'connection' });
    const world = await sendingWorld({ httpSender: sender });

    const { delivery } = await world.deliver();

    const headers = sender.posts.map((post) => post.headers);
    expect(new Set(sender.posts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(headers.map((each) => each['webhook-id']))).toEqual(new Set([delivery.id]));
    expect(new Set(headers.map((each) => each['X-Service-Delivery']))).toEqual(new Set([delivery.id]));
    expect(new Set(headers.map((each) => each['webhook-timestamp'])).size).toBe(4);
  });

  test('is delivered when the endpoint recovers', async () => {
    const sender = new RecordingSender();
    sender.answer = () => (sender.posts.length < 3 ? { status: 503 } : { status: 204 });
    const world = await sendingWorld({ httpSender: sender });

    const { delivery, pauses } = await world.deliver();

    expect(delivery).toMatchObject({ status: 'delivered', attempts: 3, lastAttempt: { status: 204 } });
    expect(pauses).toEqual([5 * SECOND_MS, 5 * MINUTE_MS]);
  });

  test('waits at most one hour, even if Retry-After asks for more', async () => {
    const world = await sendingWorld({ httpSender: RecordingSender.answering({ status: 503, retryAfter: '86400' }) });

    expect((await world.deliver()).pauses).toEqual([60 * MINUTE_MS, 60 * MINUTE_MS, 60 * MINUTE_MS]);
  });

  test('is not attempted early if its job runs early', async () => {
    const sender = RecordingSender.answering({ status: 500 });
    const world = await sendingWorld({ httpSender: sender });
    await world.attempt();
    world.clock.now += 2 * SECOND_MS * 1_000;

    const early = await world.attempt();

    expect(early).toEqual({ deferMs: 3 * SECOND_MS });
    expect(sender.posts).toHaveLength(1);
  });
});

function answering(status: number, headers: Record<string, string> = {}): Promise<Receiver> {
  return httpReceiver((response) => response.writeHead(status, headers).end());
}

function dripping(): Promise<Receiver> {
  return tcpReceiver((socket) => {
    const start = 'HTTP/1.1 200 OK\r\nx-filler: ';
    let sent = 0;
    const drip = setInterval(() => socket.write(start[sent++] ?? 'a'), 10);
    socket.once('close', () => clearInterval(drip));
  });
}

async function withoutTls(): Promise<Receiver> {
  const receiver = await answering(200);
  return { ...receiver, url: receiver.url.replace('http:', 'https:') };
}
