import { createHmac } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { deliverOutbound } from '../../server/services/outbound/deliver-outbound.js';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { RecordingSender } from '../../server/testing/fixtures/recording-sender.js';
import { CommandLine } from '../testing/command-line.js';
import WebhooksInboundCreate from './webhooks/inbound/create.js';
import WebhooksInboundDelete from './webhooks/inbound/delete.js';
import WebhooksInboundDeliveries from './webhooks/inbound/deliveries.js';
import WebhooksInboundGet from './webhooks/inbound/get.js';
import WebhooksInbound from './webhooks/inbound/index.js';
import WebhooksInboundRotate from './webhooks/inbound/rotate.js';
import WebhooksInboundUpdate from './webhooks/inbound/update.js';
import WebhooksOutboundCreate from './webhooks/outbound/create.js';
import WebhooksOutboundDelete from './webhooks/outbound/delete.js';
import WebhooksOutboundDeliveries from './webhooks/outbound/deliveries.js';
import WebhooksOutboundDelivery from './webhooks/outbound/delivery.js';
import WebhooksOutboundGet from './webhooks/outbound/get.js';
import WebhooksOutbound from './webhooks/outbound/index.js';
import WebhooksOutboundRedeliver from './webhooks/outbound/redeliver.js';
import WebhooksOutboundRotate from './webhooks/outbound/rotate.js';
import WebhooksOutboundTest from './webhooks/outbound/test.js';
import WebhooksOutboundUpdate from './webhooks/outbound/update.js';

const UNKNOWN = '0198c5a1-0000-7a31-9c55-1d2e3f4a5b6c';

async function setUp(): Promise<{ app: TestApp; line: CommandLine }> {
  const app = await testApp();
  return { app, line: await CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]) };
}

test('an inbound webhook is created, used, changed and deleted', async () => {
  const { app, line } = await setUp();

  const created = await line.run(WebhooksInboundCreate, ['codehost', '--name', 'acme/api', '--event', 'push']);
  const id = created.result?.id ?? '';
  const secret = created.stdout.trim();
  const body = JSON.stringify({ zen: 'Keep it simple.' });
  await app.send('POST', created.result?.path ?? '', body, {
    authorization: undefined,
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'x-code-host-event': 'push',
    'x-code-host-delivery': 'delivery-1',
  });
  const deliveries = await line.run(WebhooksInboundDeliveries, [id]);
  const listed = await line.run(WebhooksInbound, []);
  const off = await line.run(WebhooksInboundUpdate, [id, '--no-enabled']);
  const shown = await line.run(WebhooksInboundGet, [id]);
  const rotated = await line.run(WebhooksInboundRotate, [id]);
  await line.run(WebhooksInboundDelete, [id]);
  const gone = await line.run(WebhooksInboundGet, [id]);

  expect(created.stderr).toContain(`/webhooks/codehost/${id}`);
  expect(deliveries.stdout).toContain('delivery-1');
  expect(listed.stdout).toContain('acme/api');
  expect(off.result?.enabled).toBe(false);
  expect(shown.stdout).not.toContain(secret);
  expect(rotated.stdout.trim()).not.toBe(secret);
  expect(gone.exitCode).toBe(3);
});

test('an outbound webhook is created, changed and deleted', async () => {
  const { line } = await setUp();

  const created = await line.run(WebhooksOutboundCreate, ['https://example.com/hooks', '--event', 'memory.deleted']);
  const id = created.result?.id ?? '';
  const listed = await line.run(WebhooksOutbound, []);
  const changed = await line.run(WebhooksOutboundUpdate, [id, '--no-enabled', '--event', 'memory.updated']);
  const shown = await line.run(WebhooksOutboundGet, [id]);
  const rotated = await line.run(WebhooksOutboundRotate, [id]);
  const deliveries = await line.run(WebhooksOutboundDeliveries, [id]);
  const unknown = await line.run(WebhooksOutboundRedeliver, [id, UNKNOWN]);
  await line.run(WebhooksOutboundDelete, [id]);
  const gone = await line.run(WebhooksOutboundGet, [id]);

  expect(created.stdout).toMatch(/^whsec_/);
  expect(listed.stdout).toContain('https://example.com/hooks');
  expect(changed.result).toMatchObject({ enabled: false, events: ['memory.updated'] });
  expect(shown.stdout).not.toContain(created.stdout.trim());
  expect(rotated.stdout).toMatch(/^whsec_/);
  expect(deliveries.stderr).toBe('no deliveries\n');
  expect(unknown.exitCode).toBe(3);
  expect(gone.exitCode).toBe(3);
});

test('a delivery is shown with what was sent and what was answered', async () => {
  const sender = new RecordingSender();
  const app = await testApp({ httpSender: sender });
  const line = await CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
  sender.answer = () => ({ status: 500, answer: Buffer.from('no\u001b[31m room') });
  const { result } = await line.run(WebhooksOutboundCreate, [
    'https://example.com/hooks',
    '--event',
    'memory.ingested',
  ]);
  const id = result?.id ?? '';
  await app.send('POST', '/api/memories', { content: 'a' });
  const listed = await line.run(WebhooksOutboundDeliveries, [id]);
  const deliveryId = listed.result?.deliveries[0]?.id ?? '';
  await deliverOutbound(app.deps, { organizationId: app.organizationId, deliveryId });

  const shown = await line.run(WebhooksOutboundDelivery, [id, deliveryId]);

  expect(shown.result).toMatchObject({ id: deliveryId, attempts: 1, body: sender.posts[0]?.body });
  expect(shown.stdout).toContain('"event":"memory.ingested"');
  expect(shown.stdout).toMatch(/500 .*no\uFFFD\[31m room/);
});

test.each([
  [200, 'delivered', 0],
  [500, 'failed', 1],
])('a test event that is answered with %i is %s', async (status, state, exitCode) => {
  const app = await testApp({ httpSender: RecordingSender.answering({ status }) });
  const line = await CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
  const { result } = await line.run(WebhooksOutboundCreate, ['https://example.com/hooks', '--event', 'memory.deleted']);
  const webhookId = result?.id ?? '';

  const testing = line.run(WebhooksOutboundTest, [webhookId]);
  const { organizationId } = app;
  const [requested] = await vi.waitUntil(async () => {
    const found = await app.deps.store.outbound.listDeliveries(organizationId, { webhookId, limit: 1 });
    return found.length > 0 && found;
  });
  await deliverOutbound(app.deps, { organizationId, deliveryId: requested!.id });
  const tested = await testing;

  expect(tested.stdout).toBe(`${state}  ${status}  ${requested!.id}\n`);
  expect(tested.exitCode).toBe(exitCode);
});

test('deliveries that failed are listed, and sent again together', async () => {
  const app = await testApp({ httpSender: RecordingSender.answering({ status: 410 }) });
  const line = await CommandLine.create(['--base-url', `http://127.0.0.1:${app.port}`, '--token', app.token]);
  const { result } = await line.run(WebhooksOutboundCreate, [
    'https://example.com/hooks',
    '--event',
    'memory.ingested',
  ]);
  const id = result?.id ?? '';
  for (const content of ['a', 'b']) await app.send('POST', '/api/memories', { content });
  const [last] = (await line.run(WebhooksOutboundDeliveries, [id])).result?.deliveries ?? [];
  await deliverOutbound(app.deps, { organizationId: app.organizationId, deliveryId: last?.id ?? '' });
  await line.run(WebhooksOutboundUpdate, [id, '--enabled']);

  const failed = await line.run(WebhooksOutboundDeliveries, [id, '--status', 'failed', '--since', '2026-01-01']);
  const again = await line.run(WebhooksOutboundRedeliver, [id, '--since', '2026-01-01']);
  const neither = await line.run(WebhooksOutboundRedeliver, [id]);
  const both = await line.run(WebhooksOutboundRedeliver, [id, UNKNOWN, '--since', '2026-01-01']);

  expect(failed.result?.deliveries.map((each) => each.id)).toEqual([last?.id]);
  expect(again.result).toEqual({ redelivered: 1 });
  expect(again.stdout).toBe('1 pending\n');
  expect([neither.exitCode, both.exitCode]).toEqual([2, 2]);
});
