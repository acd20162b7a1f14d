import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';
import { type Delivery, deliverAll, deliveriesOf, sendingApp } from '../../testing/fixtures/outbound-deliveries.js';
import {
  EVERY_EVENT,
  OUTBOUND_WEBHOOKS,
  type RegisteredWebhook,
  registerWebhook,
} from '../../testing/fixtures/outbound-webhooks.js';

const MEMORIES = '/api/memories';

describe('the event of a write', () => {
  test('is memory.ingested for a new memory, with its metadata and without its content', async () => {
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
    expect(post!.url).toBe(EVERY_EVENT.url);
  });

  test.each([
    ['a merge of a near-duplicate', 'POST', { content: 'SAME TEXT', metadata: { b: 2 } }, 'merged_metadata'],
    ['a near-duplicate with nothing new', 'POST', { content: 'SAME TEXT' }, 'merged_metadata'],
    ['a replay with new metadata', 'POST', { content: 'same text', metadata: { b: 2 } }, 'deduplicated'],
  ])('is memory.updated for %s', async (_, method, body, outcome) => {
    const { app, webhook } = await sendingApp();
    await app.send('POST', MEMORIES, { content: 'same text', metadata: { a: 1 } });

    await app.send(method, MEMORIES, body);

    expect(await eventsOf(app, webhook.id)).toEqual([
      ['memory.ingested', 'created'],
      ['memory.updated', outcome],
    ]);
  });

  test('is absent for a replay that changes nothing', async () => {
    const { app, webhook } = await sendingApp();
    const same = { content: 'same text', metadata: { a: 1 } };
    await app.send('POST', MEMORIES, same);
    await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'keyed' });

    await app.send('POST', MEMORIES, same);
    await app.send('PUT', MEMORIES, { externalKey: 'k', content: 'keyed' });

    expect(await eventsOf(app, webhook.id)).toEqual([
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

    expect(await eventsOf(app, webhook.id)).toEqual([
      ['memory.ingested', 'created'],
      ['memory.updated', 'updated'],
      ['memory.updated', 'updated'],
      ['memory.deleted', 'deleted'],
    ]);
  });

  test('is sent for each accepted item of a batch', async () => {
    const { app, webhook } = await sendingApp();

    await app.send('POST', `${MEMORIES}/batch`, { items: [{ content: 'a' }, { content: '' }, { content: 'b' }] });

    expect(await eventsOf(app, webhook.id)).toHaveLength(2);
  });

  test('is absent for a rejected write', async () => {
    const { app, webhook } = await sendingApp();

    await app.send('POST', MEMORIES, { content: '' });
    await app.send('DELETE', `${MEMORIES}/${app.deps.newId()}`);

    expect(await eventsOf(app, webhook.id)).toEqual([]);
  });

  test('is sent only to webhooks that chose it, and to none of another organization', async () => {
    const app = await testApp();
    const deletions = await registerWebhook(app, { events: ['memory.deleted'] });
    const paused = await registerWebhook(app);
    await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${paused.id}`, { enabled: false });
    const foreign = await foundOrganization(app.deps);
    const theirs = await registerWebhook(app, {}, { authorization: `Bearer ${foreign.token}` });

    await app.send('POST', MEMORIES, { content: 'a' });

    expect(await eventsOf(app, deletions.id)).toEqual([]);
    expect(await eventsOf(app, paused.id)).toEqual([]);
    const query = { webhookId: theirs.id, limit: 9 };
    expect(await app.deps.store.outbound.listDeliveries(foreign.organizationId, query)).toEqual([]);
  });
});

describe('a delivery', () => {
  test('has the event, its id and signatures that the secret verifies', async () => {
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
    const rotated = (await app.send('POST', `${OUTBOUND_WEBHOOKS}/${webhook.id}/rotate-secret`))
      .body as RegisteredWebhook;

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

  test('is in the log, newest first, by page and by status', async () => {
    const { app, sender, webhook } = await sendingApp();
    const path = `${OUTBOUND_WEBHOOKS}/${webhook.id}/deliveries`;
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

  test('of another webhook is not found under this one', async () => {
    const { app, webhook } = await sendingApp();
    const other = await registerWebhook(app);
    await app.send('POST', MEMORIES, { content: 'a' });
    await deliverAll(app, webhook.id);
    const [delivery] = await deliveriesOf(app, webhook.id);

    const path = `${OUTBOUND_WEBHOOKS}/${other.id}/deliveries/${delivery!.id}`;

    expect((await app.send('GET', path)).status).toBe(404);
    expect((await app.send('POST', `${path}/redeliver`)).status).toBe(404);
  });
});

/** Returns events and outcomes of a webhook, oldest first. */
async function eventsOf(app: TestApp, webhookId: string): Promise<string[][]> {
  const found = await app.deps.store.outbound.listDeliveries(app.organizationId, { webhookId, limit: 100 });
  const whole = found.map(({ id }) => app.deps.store.outbound.findDelivery(app.organizationId, id));
  return (await Promise.all(whole)).toReversed().map((each) => [each!.event, JSON.parse(each!.body).payload.outcome]);
}

function standardSignature(
  secret: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const message = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(message).digest('base64')}`;
}
