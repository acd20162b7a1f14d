import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EndpointSlots } from '../domain/outbound/slots.js';
import { deliverOutbound } from '../services/deliver-outbound.js';
import { RecordingSender } from '../testing/recording-sender.js';
import { foundOrganization, type TestApp, testApp } from '../testing/test-app.js';

const WEBHOOKS = '/api/organization/outbound-webhooks';
const MEMORIES = '/api/memories';
const ALL = { url: 'https://example.com/hook', events: ['memory.ingested', 'memory.updated', 'memory.deleted'] };

type Registered = { id: string; secret: string };

interface Delivery {
  id: string;
  event: string;
  memoryId: string;
  status: string;
  attempts: number;
}

describe('createOutboundWebhook', () => {
  test('answers 201 with a secret that no later answer has', async () => {
    const app = await testApp();

    const created = await app.send('POST', WEBHOOKS, { ...ALL, description: 'the wiki' });

    expect(created).toMatchObject({
      status: 201,
      body: { ...ALL, description: 'the wiki', enabled: true, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) },
    });
    const { id, secret } = created.body as Registered;
    const got = await app.send('GET', `${WEBHOOKS}/${id}`);
    const listed = await app.send('GET', WEBHOOKS);
    const patched = await app.send('PATCH', `${WEBHOOKS}/${id}`, { description: 'another' });
    const stored = await app.deps.store.outbound.findWebhook(app.organizationId, id);
    for (const { text } of [got, listed, patched]) expect(text).not.toContain(secret);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(JSON.stringify(app.logged)).not.toContain(secret);
  });

  test.each([
    ['http', { url: 'http://example.com/hook' }],
    ['a private address', { url: 'https://10.0.0.1/hook' }],
    ['a password', { url: 'https://user:password@example.com/' }],
    ['no URL', { url: 'example.com' }],
    ['no events', { events: [] }],
    ['an event twice', { events: ['memory.deleted', 'memory.deleted'] }],
    ['an unknown event', { events: ['memory.read'] }],
    ['an unknown member', { secret: 'mine' }],
  ])('refuses %s with 422', async (_, change) => {
    const app = await testApp();

    const answer = await app.send('POST', WEBHOOKS, { ...ALL, ...change });

    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(answer.text).not.toMatch(/password@|mine/);
  });

  test('refuses the twenty-first with 409', async () => {
    const app = await testApp();
    for (let n = 0; n < 20; n++) await register(app);

    const answer = await app.send('POST', WEBHOOKS, ALL);

    expect(answer).toMatchObject({ status: 409, body: { code: 'webhook_limit_reached' } });
  });
});

describe('the management of outbound webhooks', () => {
  test('is for owners alone', async () => {
    const app = await testApp();
    const { id } = await register(app);
    const member = await memberToken(app);

    const attempts = [
      app.send('POST', WEBHOOKS, ALL, member),
      app.send('GET', WEBHOOKS, undefined, member),
      app.send('GET', `${WEBHOOKS}/${id}`, undefined, member),
      app.send('PATCH', `${WEBHOOKS}/${id}`, { enabled: false }, member),
      app.send('DELETE', `${WEBHOOKS}/${id}`, undefined, member),
      app.send('POST', `${WEBHOOKS}/${id}/rotate-secret`, undefined, member),
      app.send('GET', `${WEBHOOKS}/${id}/deliveries`, undefined, member),
      app.send('POST', `${WEBHOOKS}/${id}/deliveries/${id}/redeliver`, undefined, member),
    ];

    const answers = await Promise.all(attempts);
    expect(answers.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
      attempts.map(() => [403, 'owner_required']),
    );
  });

  test('answers the same 404 for what is unknown, malformed and another organization’s', async () => {
    const app = await testApp();
    const { id } = await register(app);
    const foreign = { authorization: `Bearer ${(await foundOrganization(app.deps)).token}` };

    const answers = await Promise.all(
      [id, app.deps.newId(), 'no-uuid'].flatMap((webhookId) => [
        app.send('GET', `${WEBHOOKS}/${webhookId}`, undefined, foreign),
        app.send('PATCH', `${WEBHOOKS}/${webhookId}`, { enabled: false }, foreign),
        app.send('DELETE', `${WEBHOOKS}/${webhookId}`, undefined, foreign),
        app.send('POST', `${WEBHOOKS}/${webhookId}/rotate-secret`, undefined, foreign),
        app.send('GET', `${WEBHOOKS}/${webhookId}/deliveries`, undefined, foreign),
        app.send('POST', `${WEBHOOKS}/${webhookId}/deliveries/${id}/redeliver`, undefined, foreign),
      ]),
    );

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['404 {"error":"Not found"}']),
    );
  });

  test('lists webhooks by pages, in the order of creation', async () => {
    const app = await testApp();
    const ids = [(await register(app)).id, (await register(app)).id, (await register(app)).id];

    const first = await app.send('GET', `${WEBHOOKS}?limit=2`);
    const { nextCursor } = first.body as { nextCursor: string };
    const second = await app.send('GET', `${WEBHOOKS}?limit=2&cursor=${encodeURIComponent(nextCursor)}`);

    expect(first.body).toMatchObject({
      meta: { count: 2, hasMore: true },
      outboundWebhooks: [{ id: ids[0] }, { id: ids[1] }],
    });
    expect(second.body).toMatchObject({ meta: { count: 1, hasMore: false }, outboundWebhooks: [{ id: ids[2] }] });
    expect(second.body).not.toHaveProperty('nextCursor');
  });

  test('changes what is given and keeps the rest', async () => {
    const app = await testApp();
    const { id } = await register(app);

    const changed = await app.send('PATCH', `${WEBHOOKS}/${id}`, { events: ['memory.deleted'] });
    const off = await app.send('PATCH', `${WEBHOOKS}/${id}`, { enabled: false });
    const on = await app.send('PATCH', `${WEBHOOKS}/${id}`, { enabled: true, url: 'https://example.org/' });

    expect(changed).toMatchObject({ status: 200, body: { url: ALL.url, events: ['memory.deleted'], enabled: true } });
    expect(off.body).toMatchObject({ enabled: false, disabledReason: 'owner', disabledAt: expect.any(String) });
    expect(on.body).toMatchObject({ enabled: true, url: 'https://example.org/', events: ['memory.deleted'] });
    expect(on.body).not.toHaveProperty('disabledAt');
  });

  test('refuses a change of nothing, and a URL that must not be sent to', async () => {
    const app = await testApp();
    const { id } = await register(app);

    expect((await app.send('PATCH', `${WEBHOOKS}/${id}`, {})).status).toBe(422);
    expect((await app.send('PATCH', `${WEBHOOKS}/${id}`, { url: 'https://169.254.169.254/' })).status).toBe(422);
  });

  test('removes a webhook with its log', async () => {
    const app = await testApp();
    const { id } = await register(app);
    await app.send('POST', MEMORIES, { content: 'a' });

    const removed = await app.send('DELETE', `${WEBHOOKS}/${id}`);

    expect(removed.status).toBe(204);
    expect((await app.send('GET', `${WEBHOOKS}/${id}`)).status).toBe(404);
    expect((await app.send('DELETE', `${WEBHOOKS}/${id}`)).status).toBe(404);
    expect(await app.deps.store.outbound.listDeliveries(app.organizationId, { webhookId: id, limit: 9 })).toEqual([]);
  });

  test('writes an audit event of each change, without secrets or URLs', async () => {
    const app = await testApp();
    const { id, secret } = await register(app);
    await app.send('PATCH', `${WEBHOOKS}/${id}`, { enabled: false });
    await app.send('POST', `${WEBHOOKS}/${id}/rotate-secret`);
    await app.send('DELETE', `${WEBHOOKS}/${id}`);

    const answer = await app.send('GET', '/api/organization/audit-events');

    const { auditEvents } = answer.body as { auditEvents: { action: string; metadata: object }[] };
    expect(auditEvents.map(({ action, metadata }) => ({ action, ...metadata }))).toEqual([
      { action: 'outbound_webhook.delete', targetId: id },
      { action: 'outbound_webhook.rotate_secret', targetId: id },
      { action: 'outbound_webhook.update', targetId: id, changed: ['enabled'] },
      { action: 'outbound_webhook.create', targetId: id },
    ]);
    expect(answer.text).not.toContain(secret);
    expect(answer.text).not.toContain('example.com');
  });
});

describe('what is told of a write', () => {
  test('is memory.ingested for a new memory, with its metadata and without its text', async () => {
    const { app, sender, webhook } = await sendingApp();

    const { body } = await app.send('POST', MEMORIES, { content: 'the secret plan', metadata: { team: 'x' } });
    await deliverAll(app, webhook.id);

    const { id, createdAt } = body as { id: string; createdAt: string };
    const [post] = sender.posts;
    expect(sender.posts).toHaveLength(1);
    expect(JSON.parse(post!.body)).toEqual({
      event: 'memory.ingested',
      timestamp: createdAt,
      payload: { id, outcome: 'created', metadata: { team: 'x' } },
    });
    expect(post!.url).toBe(ALL.url);
  });

  test.each([
    ['a merge of a near-duplicate', 'POST', { content: 'SAME TEXT', metadata: { b: 2 } }, 'merged_metadata'],
    ['a near-duplicate with nothing new', 'POST', { content: 'SAME TEXT' }, 'merged_metadata'],
    ['a replay with new metadata', 'POST', { content: 'same text', metadata: { b: 2 } }, 'deduplicated'],
  ])('is memory.updated for %s', async (_, method, body, outcome) => {
    const { app, webhook } = await sendingApp();
    await app.send('POST', MEMORIES, { content: 'same text', metadata: { a: 1 } });

    await app.send(method, MEMORIES, body);

    expect(await told(app, webhook.id)).toEqual([
      ['memory.ingested', 'created'],
      ['memory.updated', outcome],
    ]);
  });

  test('is nothing for a replay that changes nothing', async () => {
    const { app, webhook } = await sendingApp();
    const same = { content: 'same text', metadata: { a: 1 } };
    await app.send('POST', MEMORIES, same);
    await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'keyed' });

    await app.send('POST', MEMORIES, same);
    await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'keyed' });

    expect(await told(app, webhook.id)).toEqual([
      ['memory.ingested', 'created'],
      ['memory.ingested', 'created'],
    ]);
  });

  test('is memory.updated for an upsert and an update, memory.deleted once for a deletion', async () => {
    const { app, webhook } = await sendingApp();
    const { body } = await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'one' });
    const path = `${MEMORIES}/${(body as { id: string }).id}`;
    await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'two' });
    await app.send('PATCH', path, { metadata: { a: 1 } });

    await app.send('DELETE', path);
    await app.send('DELETE', path);

    expect(await told(app, webhook.id)).toEqual([
      ['memory.ingested', 'created'],
      ['memory.updated', 'updated'],
      ['memory.updated', 'updated'],
      ['memory.deleted', 'deleted'],
    ]);
  });

  test('is an event for each item of a batch that was accepted', async () => {
    const { app, webhook } = await sendingApp();

    await app.send('POST', `${MEMORIES}/batch`, { items: [{ content: 'a' }, { content: '' }, { content: 'b' }] });

    expect(await told(app, webhook.id)).toHaveLength(2);
  });

  test('is nothing where a write was refused', async () => {
    const { app, webhook } = await sendingApp();

    await app.send('POST', MEMORIES, { content: '' });
    await app.send('DELETE', `${MEMORIES}/${app.deps.newId()}`);

    expect(await told(app, webhook.id)).toEqual([]);
  });

  test('goes to those alone who chose the event, and to none of another organization', async () => {
    const app = await testApp();
    const deletions = await register(app, { events: ['memory.deleted'] });
    const paused = await register(app);
    await app.send('PATCH', `${WEBHOOKS}/${paused.id}`, { enabled: false });
    const foreign = await foundOrganization(app.deps);
    const theirs = await register(app, {}, { authorization: `Bearer ${foreign.token}` });

    await app.send('POST', MEMORIES, { content: 'a' });

    expect(await told(app, deletions.id)).toEqual([]);
    expect(await told(app, paused.id)).toEqual([]);
    const query = { webhookId: theirs.id, limit: 9 };
    expect(await app.deps.store.outbound.listDeliveries(foreign.organizationId, query)).toEqual([]);
  });
});

describe('a delivery', () => {
  test('carries the event, its id and signatures that the secret verifies', async () => {
    const { app, sender, webhook } = await sendingApp();
    await app.send('POST', MEMORIES, { content: 'a' });

    await deliverAll(app, webhook.id);

    const { headers, body } = sender.posts[0]!;
    const [delivery] = await deliveriesOf(app, webhook.id);
    const key = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64');
    const message = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': expect.any(String),
      'X-Service-Event': 'memory.ingested',
      'X-Service-Signature': `sha256=${createHmac('sha256', webhook.secret).update(body).digest('hex')}`,
      'X-Service-Delivery': delivery!.id,
      'webhook-id': delivery!.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': `v1,${createHmac('sha256', key).update(message).digest('base64')}`,
    });
  });

  test('is signed with both secrets for 24 hours after a rotation, in X-Service-Signature with the new one', async () => {
    const clock = { now: Date.now() * 1_000 };
    const { app, sender, webhook } = await sendingApp(clock);
    const rotated = (await app.send('POST', `${WEBHOOKS}/${webhook.id}/rotate-secret`)).body as Registered;

    await app.send('POST', MEMORIES, { content: 'a' });
    await deliverAll(app, webhook.id);
    clock.now += 24 * 3_600 * 1_000_000;
    await app.send('POST', MEMORIES, { content: 'b' });
    await deliverAll(app, webhook.id);

    const [during, after] = sender.posts;
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(during!.headers['webhook-signature']).toBe(
      `${standardSignature(rotated.secret, during!)} ${standardSignature(webhook.secret, during!)}`,
    );
    expect(during!.headers['X-Service-Signature']).toBe(
      `sha256=${createHmac('sha256', rotated.secret).update(during!.body).digest('hex')}`,
    );
    expect(after!.headers['webhook-signature']).toBe(standardSignature(rotated.secret, after!));
  });

  test('is in the log, the newest first, by pages and by status', async () => {
    const { app, sender, webhook } = await sendingApp();
    const path = `${WEBHOOKS}/${webhook.id}/deliveries`;
    await app.send('POST', MEMORIES, { content: 'a' });
    await deliverAll(app, webhook.id);
    sender.answer = () => ({ failure: 'tls' });
    await app.send('POST', MEMORIES, { content: 'b' });
    await deliverAll(app, webhook.id);
    await app.send('POST', MEMORIES, { content: 'c' });

    const first = await app.send('GET', `${path}?limit=2`);
    const { nextCursor } = first.body as { nextCursor: string };
    const second = await app.send('GET', `${path}?limit=2&cursor=${encodeURIComponent(nextCursor)}`);
    const delivered = await app.send('GET', `${path}?status=delivered`);

    expect(first.body).toMatchObject({
      outboundDeliveries: [
        { status: 'pending', attempts: 0 },
        { status: 'pending', attempts: 1, lastAttempt: { failure: 'tls' }, nextAttemptAt: expect.any(String) },
      ],
      meta: { count: 2, hasMore: true },
    });
    expect(second.body).toMatchObject({
      outboundDeliveries: [
        { event: 'memory.ingested', status: 'delivered', attempts: 1, lastAttempt: { status: 200 } },
      ],
      meta: { count: 1, hasMore: false },
    });
    expect((delivered.body as { outboundDeliveries: Delivery[] }).outboundDeliveries).toHaveLength(1);
    expect((await app.send('GET', `${path}?status=lost`)).status).toBe(422);
  });

  test('can be sent again by hand, under the same id and with the same body', async () => {
    const { app, sender, webhook } = await sendingApp();
    await app.send('POST', MEMORIES, { content: 'a' });
    await deliverAll(app, webhook.id);
    const [delivery] = await deliveriesOf(app, webhook.id);

    const again = await app.send('POST', `${WEBHOOKS}/${webhook.id}/deliveries/${delivery!.id}/redeliver`);
    await deliverAll(app, webhook.id);

    expect(again).toMatchObject({ status: 202, body: { id: delivery!.id, status: 'pending', attempts: 0 } });
    expect(sender.posts).toHaveLength(2);
    expect(sender.posts[1]!.body).toBe(sender.posts[0]!.body);
    expect(sender.posts[1]!.headers['webhook-id']).toBe(delivery!.id);
  });

  test('is not sent again by hand while it is under way, or while its webhook is off', async () => {
    const { app, webhook } = await sendingApp();
    await app.send('POST', MEMORIES, { content: 'a' });
    const [delivery] = await deliveriesOf(app, webhook.id);
    const path = `${WEBHOOKS}/${webhook.id}/deliveries/${delivery!.id}/redeliver`;

    const pending = await app.send('POST', path);
    await deliverAll(app, webhook.id);
    await app.send('PATCH', `${WEBHOOKS}/${webhook.id}`, { enabled: false });
    const disabled = await app.send('POST', path);

    expect(pending).toMatchObject({ status: 409, body: { code: 'delivery_pending' } });
    expect(disabled).toMatchObject({ status: 409, body: { code: 'webhook_disabled' } });
  });

  test('of another webhook is not found under this one', async () => {
    const { app, webhook } = await sendingApp();
    const other = await register(app);
    await app.send('POST', MEMORIES, { content: 'a' });
    await deliverAll(app, webhook.id);
    const [delivery] = await deliveriesOf(app, webhook.id);

    const answer = await app.send('POST', `${WEBHOOKS}/${other.id}/deliveries/${delivery!.id}/redeliver`);

    expect(answer.status).toBe(404);
  });
});

async function register(app: TestApp, change: object = {}, headers = {}): Promise<Registered> {
  const { body, status } = await app.send('POST', WEBHOOKS, { ...ALL, ...change }, headers);
  expect(status).toBe(201);
  return body as Registered;
}

/** An app whose one webhook takes every event; nothing is sent until a test says so. */
async function sendingApp(clock?: { now: number }) {
  const sender = new RecordingSender();
  const app = await testApp({ httpSender: sender, ...(clock && { now: () => clock.now }) });
  return { app, sender, webhook: await register(app) };
}

async function deliveriesOf(app: TestApp, webhookId: string): Promise<Delivery[]> {
  const { body } = await app.send('GET', `${WEBHOOKS}/${webhookId}/deliveries`);
  return (body as { outboundDeliveries: Delivery[] }).outboundDeliveries;
}

async function deliverAll(app: TestApp, webhookId: string): Promise<void> {
  for (const { id } of (await deliveriesOf(app, webhookId)).toReversed()) {
    const place = { organizationId: app.organizationId, deliveryId: id };
    await deliverOutbound(app.deps, new EndpointSlots(() => 0), place);
  }
}

/** Events and outcomes of a webhook, the oldest first. */
async function told(app: TestApp, webhookId: string): Promise<string[][]> {
  const found = await app.deps.store.outbound.listDeliveries(app.organizationId, { webhookId, limit: 100 });
  return found.toReversed().map(({ event, body }) => [event, JSON.parse(body).payload.outcome]);
}

function standardSignature(
  secret: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const message = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(message).digest('base64')}`;
}

async function memberToken(app: TestApp): Promise<{ authorization: string; 'x-organization-id': string }> {
  const { token, organizationId } = await foundOrganization(app.deps);
  const [member] = await app.deps.store.accounts.listMembers(organizationId, { limit: 1 });
  await app.deps.store.transact(app.organizationId, (unit) =>
    unit.accounts.insertMember({ userId: member!.userId, role: 'member', joinedAt: app.deps.now() }),
  );
  return { authorization: `Bearer ${token}`, 'x-organization-id': app.organizationId };
}
