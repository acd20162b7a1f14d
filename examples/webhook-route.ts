// Receives outbound webhooks in a handler of the Fetch API, as Next.js, Hono, Bun, Deno and workers have it.
import assert from 'node:assert/strict';
import { signTestWebhook, verifyWebhook, WebhookVerificationError } from '@memory-service/sdk/webhooks';

const secret = 'whsec_c2VjcmV0';
const events: string[] = [];
const handle = async (event: string) => events.push(event);

// #region route
/** In Next.js: `export const POST = receive`. In Hono: `app.post('/hook', (c) => receive(c.req.raw))`. */
async function receive(request: Request): Promise<Response> {
  try {
    const body = await request.text(); // not `request.json()`: the signature covers the raw body
    const { event } = await verifyWebhook({ body, headers: request.headers, secret });
    await handle(event);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(null, { status: 401 });
  }
}
// #endregion route

const { body, headers } = await signTestWebhook({ secret, event: { event: 'memory.updated' } });
const post = (text: string) => receive(new Request('http://app.test/hook', { method: 'POST', body: text, headers }));
const [accepted, forged] = await Promise.all([post(body), post(body.replace('updated', 'deleted'))]);
assert.deepEqual([accepted.status, forged.status, events], [204, 401, ['memory.updated']]);
