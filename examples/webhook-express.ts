// Receives outbound webhooks in Express.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { signTestWebhook, verifyWebhook, WebhookVerificationError } from '@memory-service/sdk/webhooks';
import express from 'express';

const secret = 'whsec_c2VjcmV0';
const events: string[] = [];
const handle = async (event: string) => events.push(event);

// #region express
const app = express();

// The signature covers the raw body, so this route comes before any `app.use(express.json())`.
app.post('/hook', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  try {
    const { event } = await verifyWebhook({ body: request.body, headers: request.headers, secret });
    await handle(event);
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.sendStatus(401);
  }
});
// #endregion express

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
const { body, headers } = await signTestWebhook({ secret, event: { event: 'memory.updated' } });
const post = (text: string) => fetch(url, { method: 'POST', body: text, headers });
try {
  const [accepted, forged] = await Promise.all([post(body), post(body.replace('updated', 'deleted'))]);
  assert.deepEqual([accepted.status, forged.status, events], [204, 401, ['memory.updated']]);
} finally {
  server.closeAllConnections();
  server.close();
}
