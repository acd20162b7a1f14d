import { describe, expect, onTestFinished, test } from 'vitest';
import { UndiciSender } from '../adapters/http-sender/undici-sender.js';
import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import type { OutboundDelivery } from '../domain/outbound/delivery.js';
import { EndpointSlots } from '../domain/outbound/slots.js';
import type { Sent } from '../ports/http-sender.js';
import { StoreUnavailableError } from '../ports/store.js';
import { httpReceiver, type Receiver, tcpReceiver } from '../testing/receiver.js';
import { RecordingSender } from '../testing/recording-sender.js';
import { replaceMethods } from '../testing/replace-methods.js';
import { testWorld } from '../testing/test-deps.js';
import { deliverOutbound, endDelivery } from './deliver-outbound.js';
import { ingest } from './ingest.js';
import { createOutboundWebhook, updateOutboundWebhook } from './outbound-webhooks.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Everything that an endpoint can do, how each attempt ends then, and how many there are. */
const BEHAVIOURS: readonly (readonly [string, () => Promise<Receiver>, Sent, number])[] = [
  ['200', () => answering(200), { status: 200 }, 1],
  ['a redirect', () => answering(302, { location: 'https://example.com/' }), { status: 302 }, 4],
  ['400', () => answering(400), { status: 400 }, 4],
  ['410', () => answering(410), { status: 410 }, 1],
  ['429 with Retry-After', () => answering(429, { 'retry-after': '60' }), { status: 429 }, 4],
  ['500', () => answering(500), { status: 500 }, 4],
  ['nothing at all', () => httpReceiver(() => {}), { failure: 'timeout' }, 4],
  ['a reset', () => tcpReceiver((socket) => socket.resetAndDestroy()), { failure: 'connection' }, 4],
  ['one byte now and then', dripping, { failure: 'timeout' }, 4],
  ['10 MiB', () => httpReceiver((response) => response.end(Buffer.alloc(10 * 1024 * 1024))), { status: 200 }, 1],
  ['no TLS where it should be', () => withoutTls(), { failure: 'tls' }, 4],
];

describe('an endpoint that answers', () => {
  test.each(BEHAVIOURS)(
    '%s gets as many attempts as it should, at the right times',
    async (_, open, last, attempts) => {
      const receiver = await open();
      const timesOut = 'failure' in last && last.failure === 'timeout';
      const sender = new UndiciSender({ allowLoopback: true, ...(timesOut && { timeoutMs: 100 }) });
      onTestFinished(() => sender[Symbol.asyncDispose]());
      const world = await sendingWorld({ httpSender: sender }, receiver.url);

      const { pauses, delivery } = await world.deliver();

      const isThrottling = 'status' in last && last.status === 429;
      const expected = [isThrottling ? MINUTE : 5 * SECOND, 5 * MINUTE, 30 * MINUTE];
      expect(pauses).toEqual(expected.slice(0, attempts - 1));
      expect(delivery).toMatchObject({
        attempts,
        status: 'status' in last && last.status === 200 ? 'delivered' : 'failed',
        lastAttempt: last,
      });
      expect(delivery).not.toHaveProperty('nextAttemptAt');
    },
  );
});

describe('a delivery that failed', () => {
  test('is tried 20 % sooner or later, so that many do not come back together', async () => {
    for (const [random, pauses] of [
      [0, [4 * SECOND, 4 * MINUTE, 24 * MINUTE]],
      [1, [6 * SECOND, 6 * MINUTE, 36 * MINUTE]],
    ] as const) {
      const world = await sendingWorld({ httpSender: failing({ status: 500 }), random: () => random });

      expect((await world.deliver()).pauses).toEqual(pauses);
    }
  });

  test('is sent with the same id and body each time, and the time of the attempt', async () => {
    const sender = failing({ failure: 'connection' });
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
    expect(pauses).toEqual([5 * SECOND, 5 * MINUTE]);
  });

  test('waits no longer than an hour for an endpoint that asks for more', async () => {
    const world = await sendingWorld({ httpSender: failing({ status: 503, retryAfter: '86400' }) });

    expect((await world.deliver()).pauses).toEqual([60 * MINUTE, 60 * MINUTE, 60 * MINUTE]);
  });

  test('is not tried before its time when its job comes early', async () => {
    const sender = failing({ status: 500 });
    const world = await sendingWorld({ httpSender: sender });
    await world.attempt();
    world.clock.now += 2 * SECOND * 1_000;

    const early = await world.attempt();

    expect(early).toEqual({ deferMs: 3 * SECOND });
    expect(sender.posts).toHaveLength(1);
  });
});

describe('an endpoint that says it is gone', () => {
  test('is switched off, so that what waits and what comes is not sent', async () => {
    const sender = failing({ status: 410 });
    const world = await sendingWorld({ httpSender: sender });
    const second = await world.write('second');

    await world.deliver();
    await world.attempt(second);
    const third = await world.write('third');

    expect(await world.webhook()).toMatchObject({ disabled: { reason: 'gone' } });
    expect(await world.find(second)).toMatchObject({
      status: 'failed',
      attempts: 0,
      lastAttempt: { failure: 'disabled' },
    });
    expect(third).toBeUndefined();
    expect(sender.posts).toHaveLength(1);
  });

  test('leaves the webhook on when its owner has given another one since the attempt began', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    sender.answer = async () => {
      await world.update({ url: 'https://example.com/elsewhere' });
      return { status: 410 };
    };

    const { delivery } = await world.deliver();

    expect(delivery).toMatchObject({ status: 'failed', lastAttempt: { status: 410 } });
    expect(await world.webhook()).not.toHaveProperty('disabled');
  });

  test('is sent to again when an owner switches it on', async () => {
    const sender = failing({ status: 410 });
    const world = await sendingWorld({ httpSender: sender });
    await world.deliver();

    await world.update({ enabled: true });
    sender.answer = () => ({ status: 200 });
    const next = await world.write('next');
    await world.attempt(next);

    expect(await world.find(next)).toMatchObject({ status: 'delivered' });
  });
});

describe('a delivery', () => {
  test('that is done is not sent again by a job that runs twice', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });

    await world.attempt();
    await world.attempt();

    expect(sender.posts).toHaveLength(1);
  });

  test('whose webhook was removed is not sent', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    await world.remove();

    expect(await world.attempt()).toBeUndefined();
    expect(sender.posts).toEqual([]);
  });

  test('goes to the URL that the webhook has by then', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    await world.update({ url: 'https://example.org/new' });

    await world.attempt();

    expect(sender.posts).toMatchObject([{ url: 'https://example.org/new' }]);
  });

  test('whose end could not be kept is sent again, under the same id', async () => {
    const sender = new RecordingSender();
    const world = await sendingWorld({ httpSender: sender });
    const store = replaceMethods(world.deps.store, {
      transact: () => Promise.reject(new StoreUnavailableError('on purpose')),
    });

    await expect(world.attempt(undefined, { ...world.deps, store })).rejects.toThrow(StoreUnavailableError);
    await world.attempt();

    expect(sender.posts.map(({ headers }) => headers['webhook-id'])).toEqual([world.first, world.first]);
    expect(await world.find(world.first)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('that the service cannot make is given up and stays in the log', async () => {
    const world = await sendingWorld({ httpSender: new RecordingSender() });

    await endDelivery(world.deps, { organizationId: world.caller.organizationId, deliveryId: world.first }, 'internal');

    expect(await world.find(world.first)).toMatchObject({ status: 'failed', lastAttempt: { failure: 'internal' } });
  });

  test('is forgotten 30 days after it is done', async () => {
    const world = await sendingWorld({ httpSender: new RecordingSender() });
    await world.attempt();
    world.clock.now += 30 * 24 * 60 * MINUTE * 1_000 + 1;
    const later = await world.write('later');

    await world.attempt(later);

    expect(await world.find(world.first)).toBeUndefined();
    expect(await world.find(later)).toMatchObject({ status: 'delivered' });
  });
});

describe('a slow endpoint', () => {
  test('does not hold up another one: its deliveries come back later', async () => {
    const gates: (() => void)[] = [];
    const sender = new RecordingSender();
    sender.answer = ({ url }) =>
      url.includes('slow')
        ? new Promise<Sent>((resolve) => gates.push(() => resolve({ status: 200 })))
        : { status: 200 };
    const world = await sendingWorld({ httpSender: sender }, 'https://slow.example/');
    const slots = new EndpointSlots(() => 0);
    const slow = [world.first];
    while (slow.length < 10) slow.push((await world.write(`slow ${slow.length}`))!);
    const running = slow.slice(0, 4).map((id) => world.attempt(id, world.deps, slots));
    while (gates.length < 4) await new Promise(setImmediate);

    const turnedAway = await Promise.all(slow.slice(4).map((id) => world.attempt(id, world.deps, slots)));
    await world.update({ events: ['memory.deleted'] });
    await createOutboundWebhook(world.deps, world.caller, {
      url: 'https://quick.example/',
      events: ['memory.ingested'],
    });
    const quick = await world.write('quick');
    const verdict = await world.attempt(quick, world.deps, slots);

    expect(turnedAway).toEqual(slow.slice(4).map(() => ({ deferMs: expect.any(Number) })));
    expect(verdict).toBeUndefined();
    expect(await world.find(quick)).toMatchObject({ status: 'delivered' });
    for (const open of gates) open();
    await Promise.all(running);
  });
});

/** A webhook for new memories, and one event on its way to it. */
async function sendingWorld(overrides: Partial<Pick<Deps, 'httpSender' | 'random'>>, url = 'https://example.com/hook') {
  const clock = { now: 1_772_442_000_000_000 };
  const { deps, caller } = await testWorld({ ...overrides, now: () => clock.now });
  const { webhook } = await createOutboundWebhook(deps, caller, { url, events: ['memory.ingested'] });
  const { organizationId } = caller;
  const find = async (id: string | undefined) => deps.store.outbound.findDelivery(organizationId, id ?? '');

  /** Writes a memory and tells which delivery came of it, if one did. */
  const write = async (content: string): Promise<string | undefined> => {
    clock.now += 1;
    const before = new Set((await allDeliveries(deps, caller)).map(({ id }) => id));
    await ingest(deps, caller, { content });
    return (await allDeliveries(deps, caller)).find(({ id }) => !before.has(id))?.id;
  };
  const first = (await write('first'))!;
  const attempt = (deliveryId = first, through: Deps = deps, slots = new EndpointSlots(() => 0)) =>
    deliverOutbound(through, slots, { organizationId, deliveryId });

  return {
    deps,
    caller,
    clock,
    first,
    find,
    write,
    attempt,
    webhook: () => deps.store.outbound.findWebhook(organizationId, webhook.id),
    update: (change: Parameters<typeof updateOutboundWebhook>[3]) =>
      updateOutboundWebhook(deps, caller, webhook.id, change),
    remove: () => deps.store.transact(organizationId, (unit) => unit.outbound.deleteWebhook(webhook.id)),

    /** Makes attempts, each when the one before said, until there is none to make. */
    async deliver(): Promise<{ pauses: number[]; delivery: OutboundDelivery }> {
      const pauses: number[] = [];
      for (let next = await attempt(); next !== undefined; next = await attempt()) {
        pauses.push(next.deferMs);
        clock.now += next.deferMs * 1_000;
      }
      return { pauses, delivery: (await find(first))! };
    },
  };
}

async function allDeliveries({ store }: Deps, { organizationId }: Caller): Promise<OutboundDelivery[]> {
  const webhooks = await store.outbound.listWebhooks(organizationId, { limit: 99 });
  const pages = webhooks.map(({ id }) => store.outbound.listDeliveries(organizationId, { webhookId: id, limit: 99 }));
  return (await Promise.all(pages)).flat();
}

function failing(sent: Sent): RecordingSender {
  const sender = new RecordingSender();
  sender.answer = () => sent;
  return sender;
}

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
