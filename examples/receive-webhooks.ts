// Receives outbound webhooks with Koa: processes each delivery once, and rejects those without a valid signature.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { MemoryClient } from '@memory-service/sdk';
import {
  signTestWebhook,
  type VerifiedWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '@memory-service/sdk/webhooks';
import Koa from 'koa';

const WAIT_MS = 30_000;
const work = new EventEmitter<{ delivery: [VerifiedWebhook] }>();
let secret = '';

// #region receive
const app = new Koa();
const seen = new Set<string | undefined>();

app.use(async (ctx) => {
  const body = await buffer(ctx.req); // the raw bytes, which the signature covers
  try {
    const delivery = await verifyWebhook({ body, headers: ctx.headers, secret });
    if (!seen.has(delivery.deliveryId)) work.emit('delivery', delivery); // a delivery may arrive more than once
    seen.add(delivery.deliveryId);
    ctx.status = 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    ctx.status = 401;
  }
});
// #endregion receive

const server = createServer(app.callback());
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const client = new MemoryClient();
// #region register
const webhook = await client.outboundWebhooks.create({ url, events: ['memory.ingested'] });
secret = webhook.secret; // shown only once
// #endregion register

try {
  const arrival = once(work, 'delivery', { signal: AbortSignal.timeout(WAIT_MS) });
  const { id } = await client.ingest({ content: 'The lighthouse was painted white.' });
  const [delivery] = (await arrival) as [VerifiedWebhook];
  assert.deepEqual([delivery.event, delivery.payload.id], ['memory.ingested', id]);

  // #region test-delivery
  const { body, headers } = await signTestWebhook({ secret, event: { event: 'memory.deleted' } });
  const answer = await fetch(url, { method: 'POST', body, headers });
  console.log(answer.status);
  // #endregion test-delivery
  const again = await fetch(url, { method: 'POST', body, headers });
  const forged = await fetch(url, { method: 'POST', body: body.replace('deleted', 'updated'), headers });
  assert.deepEqual([answer.status, again.status, forged.status, seen.size], [204, 204, 401, 2]);
} finally {
  await client.outboundWebhooks.delete(webhook.id);
  server.closeAllConnections();
  server.close();
}
