import { describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../../sdk/webhooks.js';
import { deliverOutbound } from '../../services/outbound/deliver-outbound.js';
import { testApp } from '../../testing/app/test-app.js';
import { OUTBOUND_WEBHOOKS, registerWebhook } from '../../testing/fixtures/outbound-webhooks.js';
import { RecordingSender } from '../../testing/fixtures/recording-sender.js';

describe('sendTestEvent', () => {
  test('sends a signed event that receivers recognize, and keeps it in the log', async () => {
    const { sender, webhook, sendTest, read } = await testedWebhook();

    const { status, body } = await sendTest();
    const { id } = body as { id: string };

    expect(status).toBe(202);
    expect(body).toEqual({ id, event: 'webhook.test', status: 'pending', attempts: 0, createdAt: expect.any(String) });
    expect(await read(id)).toMatchObject({ event: 'webhook.test', status: 'delivered', lastAttempt: { status: 200 } });
    const [post] = sender.posts;
    expect(post!.headers).toMatchObject({ 'X-Service-Event': 'webhook.test', 'webhook-id': id });
    const { body: sent, headers } = post!;
    expect(await verifyWebhook({ body: sent, headers, secret: webhook.secret })).toEqual({
      event: 'webhook.test',
      timestamp: expect.any(String),
      payload: { id: webhook.id, outcome: 'test', metadata: {} },
      deliveryId: id,
    });
  });

  test('sends it also while the webhook is disabled, and does not enable it', async () => {
    const { app, sender, webhook, sendTest, read } = await testedWebhook();
    await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${webhook.id}`, { enabled: false });

    const { body } = await sendTest();

    expect(await read((body as { id: string }).id)).toMatchObject({ status: 'delivered' });
    expect(sender.posts).toHaveLength(1);
    const { body: after } = await app.send('GET', `${OUTBOUND_WEBHOOKS}/${webhook.id}`);
    expect(after).toMatchObject({ enabled: false, disabledReason: 'owner' });
  });

  test('makes one attempt', async () => {
    const { sender, sendTest, read } = await testedWebhook();
    sender.answer = () => ({ status: 503, retryAfter: '5' });

    const { body } = await sendTest();

    expect(await read((body as { id: string }).id)).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('disables the webhook if the endpoint answers 410, as any delivery does', async () => {
    const { app, sender, webhook, sendTest, read } = await testedWebhook();
    sender.answer = () => ({ status: 410 });

    const { body } = await sendTest();

    expect(await read((body as { id: string }).id)).toMatchObject({ status: 'failed' });
    const { body: after } = await app.send('GET', `${OUTBOUND_WEBHOOKS}/${webhook.id}`);
    expect(after).toMatchObject({ enabled: false, disabledReason: 'gone' });
  });

  test('is audited, and is no event that a webhook can choose', async () => {
    const { app, webhook, sendTest } = await testedWebhook();

    await sendTest();

    const { body } = await app.send('GET', '/api/organization/audit-events?action=outbound_webhook.test');
    expect(body).toMatchObject({ auditEvents: [{ metadata: { targetId: webhook.id } }] });
    const choosing = await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${webhook.id}`, { events: ['webhook.test'] });
    expect(choosing.status).toBe(422);
  });
});

/** Opens an app with a webhook for deletions, whose deliveries are sent when a test reads them. */
async function testedWebhook() {
  const sender = new RecordingSender();
  const app = await testApp({ httpSender: sender });
  const webhook = await registerWebhook(app, { events: ['memory.deleted'] });
  return {
    app,
    sender,
    webhook,
    sendTest: () => app.send('POST', `${OUTBOUND_WEBHOOKS}/${webhook.id}/test`),
    read: async (deliveryId: string) => {
      await deliverOutbound(app.deps, { organizationId: app.organizationId, deliveryId });
      return (await app.send('GET', `${OUTBOUND_WEBHOOKS}/${webhook.id}/deliveries/${deliveryId}`)).body;
    },
  };
}
