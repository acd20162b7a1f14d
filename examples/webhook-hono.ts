// Receives outbound webhooks in Hono, on Node, Bun, Deno or a worker.
import assert from 'node:assert/strict';
import { signTestWebhook, verifyWebhook, WebhookVerificationError } from '@memory-service/sdk/webhooks';
import { Hono } from 'hono';

const secret = 'whsec_c2VjcmV0';
const events: string[] = [];
const handle = async (event: string) => events.push(event);

// #region hono
const app = new Hono();

app.post('/hook', async (c) => {
  const body = await c.req.text(); // not `c.req.json()`: the signature covers the raw body
  const { event } = await verifyWebhook({ body, headers: c.req.raw.headers, secret });
  await handle(event);
  return c.body(null, 204);
});
app.onError((error, c) => c.body(null, error instanceof WebhookVerificationError ? 401 : 500));
// #endregion hono

const { body, headers } = await signTestWebhook({ secret, event: { event: 'memory.updated' } });
const post = (text: string) => app.request('/hook', { method: 'POST', body: text, headers });
const [accepted, forged] = await Promise.all([post(body), post(body.replace('updated', 'deleted'))]);
assert.deepEqual([accepted.status, forged.status, events], [204, 401, ['memory.updated']]);
