import { describe, expect, test } from 'vitest';
import { deliverOutbound } from '../../services/outbound/deliver-outbound.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { RecordingSender } from '../../testing/fixtures/recording-sender.js';

const TOKEN = 'metrics-token-of-the-operator';
const NOBODY = { authorization: undefined };

describe('getMetrics', () => {
  test('counts requests by operation and status, and measures their duration', async () => {
    const app = await testApp();
    await app.send('POST', '/api/memories', { content: 'a' });
    await app.send('POST', '/api/memories', { content: 'b' });
    await app.send('POST', '/api/memories', { content: '' });
    await app.send('GET', '/nowhere');

    const samples = await read(app);

    expect(samples.get('memory_service_requests_total{operation="ingestMemory",status="201"}')).toBe(2);
    expect(samples.get('memory_service_requests_total{operation="ingestMemory",status="422"}')).toBe(1);
    expect(samples.get('memory_service_requests_total{operation="none",status="404"}')).toBe(1);
    expect(samples.get('memory_service_request_duration_seconds_count{operation="ingestMemory"}')).toBe(3);
  });

  test('counts deliveries by outcome, and waiting jobs', async () => {
    const sender = new RecordingSender();
    const app = await testApp({ httpSender: sender });
    await app.send('POST', '/api/organization/outbound-webhooks', {
      url: 'https://example.com/hook',
      events: ['memory.ingested'],
    });
    for (const content of ['a', 'b', 'c']) await app.send('POST', '/api/memories', { content });
    const answers = [{ status: 200 }, { status: 500 }, { status: 410 }];
    sender.answer = () => answers[sender.posts.length - 1]!;
    for (const deliveryId of await pending(app)) {
      await deliverOutbound(app.deps, { organizationId: app.organizationId, deliveryId });
    }

    const samples = await read(app);

    for (const outcome of ['delivered', 'retried', 'failed']) {
      expect(samples.get(`memory_service_outbound_deliveries_total{outcome="${outcome}"}`)).toBe(1);
    }
    expect(samples.get('memory_service_jobs_waiting{name="deliver-outbound"}')).toBe(3);
    expect(samples.get('memory_service_job_oldest_wait_seconds{name="deliver-outbound"}')).toBeGreaterThanOrEqual(0);
  });

  test('contains no tenant, token or memory', async () => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', {
      content: 'a text to look for',
      metadata: { team: 'x' },
    });

    const { text } = await app.send('GET', '/metrics', undefined, NOBODY);

    for (const word of [app.organizationId, app.token, (body as { id: string }).id, 'look for', 'team']) {
      expect(text).not.toContain(word);
    }
  });

  test('is open to this machine only if no token is set', async () => {
    const app = await testApp();

    const direct = await app.send('GET', '/metrics', undefined, NOBODY);
    const proxied = [{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=203.0.113.7' }];
    const answers = await Promise.all(proxied.map((headers) => app.send('GET', '/metrics', undefined, headers)));

    expect(direct).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/plain') } });
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  test('requires the operator’s token if one is set, from any address', async () => {
    const app = await testApp({}, { metricsToken: TOKEN });
    const send = (authorization: string | undefined) => app.send('GET', '/metrics', undefined, { authorization });

    const refused = await Promise.all(
      [undefined, TOKEN, `Bearer ${TOKEN}x`, 'Bearer ', `Basic ${TOKEN}`, `Bearer ${app.token}`].map(send),
    );
    const allowed = await send(`Bearer ${TOKEN}`);

    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
    expect(allowed.status).toBe(200);
  });
});

/** Returns samples by name and labels. */
async function read(app: TestApp): Promise<Map<string, number>> {
  const { text } = await app.send('GET', '/metrics', undefined, NOBODY);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

async function pending({ deps, organizationId }: TestApp): Promise<string[]> {
  const [webhook] = await deps.store.outbound.listWebhooks(organizationId, { limit: 1 });
  const found = await deps.store.outbound.listDeliveries(organizationId, { webhookId: webhook!.id, limit: 9 });
  return found.map(({ id }) => id);
}
