// Receives outbound webhooks in a route handler of Next.js: app/api/memory/route.ts.
import assert from 'node:assert/strict';

process.env.MEMORY_WEBHOOK_SECRET = 'whsec_c2VjcmV0';
const events: string[] = [];
const handle = async (event: string) => events.push(event);

// #region next
import { verifyWebhook, WebhookVerificationError } from '@memory-service/sdk/webhooks';

export const dynamic = 'force-dynamic'; // never answered from a cache

export async function POST(request: Request): Promise<Response> {
  const secret = process.env.MEMORY_WEBHOOK_SECRET ?? '';
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
// #endregion next

const { signTestWebhook } = await import('@memory-service/sdk/webhooks');
const { body, headers } = await signTestWebhook({ secret: 'whsec_c2VjcmV0', event: { event: 'memory.updated' } });
const post = (text: string) => POST(new Request('http://app.test/api/memory', { method: 'POST', body: text, headers }));
const [accepted, forged] = await Promise.all([post(body), post(body.replace('updated', 'deleted'))]);
assert.deepEqual([accepted.status, forged.status, events], [204, 401, ['memory.updated']]);
