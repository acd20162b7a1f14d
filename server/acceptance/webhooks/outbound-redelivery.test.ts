import { describe, expect, test } from 'vitest';
import type { TestApp } from '../../testing/app/test-app.js';
import { type Delivery, deliverAll, deliveriesOf, sendingApp } from '../../testing/fixtures/outbound-deliveries.js';
import { OUTBOUND_WEBHOOKS } from '../../testing/fixtures/outbound-webhooks.js';

const MEMORIES = '/api/memories';

describe('a delivery', () => {
  test('is read with its body, its headers, and the answer to each attempt', async () => {
    const clock = { now: 1_772_442_000_000_000 };
    const { app, sender, webhook } = await sendingApp(clock);
    const answers = [{ failure: 'timeout' }, { status: 500, answer: Buffer.from('no\u0000room') }] as const;
    sender.answer = () => {
      clock.now += 2_500;
      return answers[sender.posts.length - 1]!;
    };
    await app.send('POST', MEMORIES, { content: 'a', metadata: { team: 'x' } });
    const [{ id }] = (await deliveriesOf(app, webhook.id)) as [Delivery];
    const path = `${OUTBOUND_WEBHOOKS}/${webhook.id}/deliveries/${id}`;

    const before = await app.send('GET', path);
    await deliverAll(app, webhook.id);
    clock.now += 60_000_000;
    await deliverAll(app, webhook.id);
    const after = await app.send('GET', path);

    expect(before.body).toMatchObject({ id, attempts: 0, attemptLog: [] });
    expect(before.body).not.toHaveProperty('headers.webhook-timestamp');
    expect(after.body).toMatchObject({
      id,
      status: 'pending',
      attempts: 2,
      lastAttempt: { at: '2026-03-02T09:01:00.005000Z', status: 500 },
      body: sender.posts[0]!.body,
      headers: {
        ...sender.posts[1]!.headers,
        'X-Service-Signature': 'present',
        'webhook-signature': 'present',
      },
      attemptLog: [
        { at: '2026-03-02T09:00:00.002500Z', failure: 'timeout', durationMs: 2.5 },
        { at: '2026-03-02T09:01:00.005000Z', status: 500, durationMs: 2.5, answer: 'no\uFFFDroom' },
      ],
    });
    expect(JSON.stringify(after.body)).not.toContain(webhook.secret);
  });

  test('keeps the latest 20 attempts over redeliveries', async () => {
    const { app, sender, webhook } = await sendingApp();
    sender.answer = () => ({ status: 200, answer: Buffer.from(`answer ${sender.posts.length}`) });
    await app.send('POST', MEMORIES, { content: 'a' });
    const [{ id }] = (await deliveriesOf(app, webhook.id)) as [Delivery];
    const path = `${OUTBOUND_WEBHOOKS}/${webhook.id}/deliveries/${id}`;

    for (let attempts = 0; attempts < 22; attempts += 1) {
      await deliverAll(app, webhook.id);
      await app.send('POST', `${path}/redeliver`);
    }

    const { attemptLog } = (await app.send('GET', path)).body as { attemptLog: { answer: string }[] };
    expect(attemptLog.map(({ answer }) => answer)).toEqual(Array.from({ length: 20 }, (_, n) => `answer ${n + 3}`));
  });

  test('is gone with its answers after its memory was purged', async () => {
    const { app, sender, webhook } = await sendingApp();
    sender.answer = () => ({ status: 200, answer: Buffer.from('thanks') });
    const { body } = await app.send('POST', MEMORIES, { content: 'a' });
    await deliverAll(app, webhook.id);
    const [{ id }] = (await deliveriesOf(app, webhook.id)) as [Delivery];
    const { id: memoryId } = body as { id: string };

    await app.send('DELETE', `${MEMORIES}/${memoryId}`);
    await app.send('POST', `${MEMORIES}/${memoryId}/purge`);

    const answer = await app.send('GET', `${OUTBOUND_WEBHOOKS}/${webhook.id}/deliveries/${id}`);
    expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
  });

  test('can be retried by hand, with the same id and the same body', async () => {
    const { app, sender, webhook } = await sendingApp();
    await app.send('POST', MEMORIES, { content: 'a' });
    await deliverAll(app, webhook.id);
    const [delivery] = await deliveriesOf(app, webhook.id);

    const again = await app.send('POST', `${OUTBOUND_WEBHOOKS}/${webhook.id}/deliveries/${delivery!.id}/redeliver`);
    await deliverAll(app, webhook.id);

    expect(again).toMatchObject({ status: 202, body: { id: delivery!.id, status: 'pending', attempts: 0 } });
    expect(sender.posts).toHaveLength(2);
    expect(sender.posts[1]!.body).toBe(sender.posts[0]!.body);
    expect(sender.posts[1]!.headers['webhook-id']).toBe(delivery!.id);
  });

  test('cannot be retried by hand while it is pending, or while its webhook is disabled', async () => {
    const { app, webhook } = await sendingApp();
    await app.send('POST', MEMORIES, { content: 'a' });
    const [delivery] = await deliveriesOf(app, webhook.id);
    const path = `${OUTBOUND_WEBHOOKS}/${webhook.id}/deliveries/${delivery!.id}/redeliver`;

    const pending = await app.send('POST', path);
    await deliverAll(app, webhook.id);
    await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${webhook.id}`, { enabled: false });
    const disabled = await app.send('POST', path);

    expect(pending).toMatchObject({ status: 409, body: { code: 'delivery_pending' } });
    expect(disabled).toMatchObject({ status: 409, body: { code: 'webhook_disabled' } });
  });

  test('that failed is sent again with all others since a time, in order and once', async () => {
    const clock = { now: 1_772_442_000_000_000 };
    const { app, sender, webhook } = await sendingApp(clock);
    const path = `${OUTBOUND_WEBHOOKS}/${webhook.id}`;
    sender.answer = () => ({ failure: 'connection' });
    const written: string[] = [];
    for (const content of ['before', 'first', 'second']) {
      clock.now += 60_000_000;
      written.push(((await app.send('POST', MEMORIES, { content })).body as { id: string }).id);
    }
    await failAll(app, webhook.id, clock);
    sender.answer = () => ({ status: 204 });
    sender.posts.length = 0;

    const since = { since: '2026-03-02T09:02:00Z' };
    const again = await app.send('POST', `${path}/redeliver`, since);
    const repeated = await app.send('POST', `${path}/redeliver`, since);
    await deliverAll(app, webhook.id);

    expect(again).toMatchObject({ status: 202, body: { redelivered: 2, hasMore: false } });
    expect(repeated).toMatchObject({ status: 202, body: { redelivered: 0, hasMore: false } });
    expect(sender.posts.map(({ body }) => JSON.parse(body).payload.id)).toEqual(written.slice(1));
    const failed = await app.send('GET', `${path}/deliveries?status=failed`);
    const recent = await app.send('GET', `${path}/deliveries?since=2026-03-02T09:02:00Z`);
    expect(failed.body).toMatchObject({ outboundDeliveries: [{ memoryId: written[0] }] });
    expect(recent.body).toMatchObject({ outboundDeliveries: [{ memoryId: written[2] }, { memoryId: written[1] }] });
    const { body } = await app.send('GET', '/api/organization/audit-events?action=outbound_webhook.redeliver');
    expect(body).toMatchObject({ auditEvents: [{ metadata: { targetId: webhook.id, ok: 2 } }] });
  });

  test('that failed is not sent again with the others while its webhook is disabled', async () => {
    const { app, webhook } = await sendingApp();
    const path = `${OUTBOUND_WEBHOOKS}/${webhook.id}`;
    await app.send('PATCH', path, { enabled: false });

    const answer = await app.send('POST', `${path}/redeliver`, { since: '2026-03-01' });

    expect(answer).toMatchObject({ status: 409, body: { code: 'webhook_disabled' } });
  });
});

/** Makes every attempt of all deliveries, which must fail. */
async function failAll(app: TestApp, webhookId: string, clock: { now: number }): Promise<void> {
  for (let attempts = 0; attempts < 4; attempts += 1) {
    await deliverAll(app, webhookId);
    clock.now += 2 * 3_600 * 1_000_000;
  }
}
