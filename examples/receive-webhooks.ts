// Receives outbound webhooks with Koa: answers at once, does each delivery once, and trusts nothing unsigned.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import Koa from 'koa';
import {
  signTestWebhook,
  type VerifiedWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from 'memory-service/sdk/webhooks';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const received: VerifiedWebhook[] = [];

// #region receive
const app = new Koa();
const seen = new Set<string | undefined>();

app.use(async (ctx) => {
  const body = await buffer(ctx.req); // the bytes that were signed, before anything parses them
  try {
    const delivery = await verifyWebhook({ body, headers: ctx.headers, secret });
    if (!seen.has(delivery.deliveryId)) received.push(delivery); // a delivery may come more than once
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
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

try {
  // #region test-delivery
  const { body, headers } = await signTestWebhook({ secret, event: { event: 'memory.deleted' } });
  const answer = await fetch(url, { method: 'POST', body, headers });
  console.log(answer.status);
  // #endregion test-delivery
  assert.equal(answer.status, 204);
  assert.deepEqual(
    received.map(({ event }) => event),
    ['memory.deleted'],
  );

  const again = await fetch(url, { method: 'POST', body, headers });
  const forged = await fetch(url, { method: 'POST', body: body.replace('deleted', 'updated'), headers });
  assert.deepEqual([again.status, forged.status, received.length], [204, 401, 1]);
} finally {
  server.closeAllConnections();
  server.close();
}
