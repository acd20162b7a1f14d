import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BOUNDS } from '../../domain/fairness/bounds.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { post } from '../../testing/app/tool-message.js';

const SILENT = 256;
const PATIENT = { timeout: 30_000 };
const { address: ADDRESS_SHARE } = BOUNDS.bodies.shares;

test('callers that send no bodies use up no requests of others', async () => {
  const app = await testApp();
  await Promise.all(Array.from({ length: SILENT }, () => silent(app, 'POST /api/session', 100)));
  await vi.waitFor(async () => expect(await inUse(app, 'bodies')).toBe(ADDRESS_SHARE), PATIENT);

  const read = await app.send('GET', '/api/memories/recent');
  const written = await app.send('POST', '/api/memories', { content: 'of a bystander' });
  const refused = await app.send('POST', '/api/session', { email: 'a@b.test', password: 'x' }, NOBODY);

  expect([read.status, written.status]).toEqual([200, 201]);
  expect(refused).toMatchObject({
    status: 503,
    body: { error: `Your address already has ${ADDRESS_SHARE} bodies under way: try again` },
  });
});

test('callers that announce large bodies and send nothing do not block the receiver of webhooks', async () => {
  const app = await testApp();
  const path = `/webhooks/codehost/${app.deps.newId()}`;
  await Promise.all(Array.from({ length: 16 }, () => silent(app, `POST ${path}`, undefined)));
  await vi.waitFor(async () => expect(await inUse(app, 'bodies')).toBe(16), PATIENT);

  const delivered = await app.send('POST', path, { large: 'x'.repeat(3_000_000) }, NOBODY);

  // 401 for the missing signature proves that the body was read.
  expect(delivered.status).toBe(401);
});

test('a message that is not a batch is rejected beyond 2 MiB', async () => {
  const app = await testApp();
  const call = (name: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { items: [{ content: 'a' }], filler: 'x'.repeat(2_200_000) } },
  });

  const ordinary = await post(app, call('memory_ingest'));
  const batch = await post(app, call('memory_ingest_batch'));

  expect(ordinary).toMatchObject({ status: 413, body: { code: 'payload_too_large', max: 2_097_152 } });
  expect(batch.status).toBe(200);
});

test('a batch of very many items is rejected before it is parsed', async () => {
  const app = await testApp();

  const answer = await app.send('POST', '/api/memories/batch', `{"items":[${'{},'.repeat(2_000_000)}{}]}`);

  expect(answer).toMatchObject({ status: 413, body: { code: 'batch_too_large', max: app.deps.limits.batchItems } });
});

const NOBODY = { authorization: undefined };

/** Sends the head of a request and one byte of its body. Without a `length` the body is chunked. */
async function silent({ port }: TestApp, line: string, length: number | undefined): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  const size = length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  const body = length === undefined ? '1\r\n{\r\n' : '{';
  socket.write(`${line} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${size}\r\n\r\n${body}`);
  return socket;
}

async function inUse({ deps }: TestApp, resource: string): Promise<number> {
  const text = await deps.metrics.exposition();
  return Number(new RegExp(`resource_in_use\\{resource="${resource}"\\} (\\d+)`).exec(text)?.[1]);
}
