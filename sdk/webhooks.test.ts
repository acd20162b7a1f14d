import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { signBody, signMessage } from '../server/domain/outbound/signature.js';
import { signTestWebhook, verifyWebhook, type WebhookEvent } from './webhooks.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = '{"event":"memory.updated","timestamp":"2026-03-01T00:00:00.000000Z","payload":{"id":"1","metadata":{}}}';
const NOW = 1_772_323_200;

afterEach(() => {
  vi.useRealTimers();
});

/** Creates the headers of Standard Webhooks without the code under test. */
function standardHeaders(key: Buffer, body = BODY, timestamp = String(NOW)): Record<string, string> {
  const signature = createHmac('sha256', key).update(`d-1.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': 'd-1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function at(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1_000 });
}

test.each([
  ['parsed', JSON.parse(BODY)],
  ['missing', undefined],
  ['an array', []],
])('a body that is %s is an error of the program, which says to pass the raw body', async (_, body) => {
  const verified = verifyWebhook({ body, headers: standardHeaders(Buffer.alloc(32, 7)), secret: SECRET });

  await expect(verified).rejects.toThrow(TypeError);
  await expect(verified).rejects.toThrow(/pass the raw body/);
});

test.each([
  [undefined, 'memory.ingested', 'created'],
  ['memory.ingested', 'memory.ingested', 'created'],
  ['memory.updated', 'memory.updated', 'updated'],
  ['memory.deleted', 'memory.deleted', 'deleted'],
  ['webhook.test', 'webhook.test', 'test'],
] as const)('a test delivery of %s has the event %s and the outcome %s', async (event, name, outcome) => {
  const { body, headers } = await signTestWebhook({ secret: SECRET, event: { event } as Partial<WebhookEvent> });

  expect(await verifyWebhook({ body, headers, secret: SECRET })).toMatchObject({ event: name, payload: { outcome } });
});

describe('a delivery with the headers of Standard Webhooks', () => {
  test('is accepted if it is signed with the secret, and returned with its id', async () => {
    at(NOW + 299);
    const headers = standardHeaders(Buffer.alloc(32, 7));

    const delivery = await verifyWebhook({ body: BODY, headers, secret: SECRET });

    expect(delivery).toEqual({ ...JSON.parse(BODY), deliveryId: 'd-1' });
  });

  test('is accepted as bytes or text, with Headers or the headers of Node', async () => {
    at(NOW);
    const headers = standardHeaders(Buffer.alloc(32, 7));

    await verifyWebhook({ body: Buffer.from(BODY), headers: new Headers(headers), secret: SECRET });
    await verifyWebhook({ body: new TextEncoder().encode(BODY), headers, secret: [OTHER, SECRET] });
    await verifyWebhook({ body: BODY, headers: { ...headers, cookie: ['a', 'b'], none: undefined }, secret: SECRET });
  });

  test('is accepted by either secret if two secrets signed it, as during a rotation', async () => {
    at(NOW);
    const one = standardHeaders(Buffer.alloc(32, 7));
    const two = standardHeaders(Buffer.alloc(32, 8));
    const both = { ...one, 'webhook-signature': `v1a,zzz ${one['webhook-signature']} ${two['webhook-signature']}` };

    for (const secret of [SECRET, OTHER]) await verifyWebhook({ body: BODY, headers: both, secret });
  });

  test.each([
    ['another body', { body: `${BODY} ` }],
    ['another secret', { secret: OTHER }],
    ['another id', { headers: { 'webhook-id': 'd-2' } }],
    ['another time', { headers: { 'webhook-timestamp': String(NOW + 1) } }],
    ['no signature of this version', { headers: { 'webhook-signature': 'v2,abc' } }],
    ['a malformed signature', { headers: { 'webhook-signature': 'v1,%%%' } }],
    ['no secret', { secret: [] }],
  ])(
    'is rejected with %s',
    async (_, { headers, ...changed }: { headers?: object; body?: string; secret?: string | string[] }) => {
      at(NOW);
      const sent = { ...standardHeaders(Buffer.alloc(32, 7)), ...headers };

      const verified = verifyWebhook({ body: BODY, secret: SECRET, ...changed, headers: sent });

      await expect(verified).rejects.toMatchObject({ name: 'WebhookVerificationError', reason: 'signature_invalid' });
    },
  );

  test.each([NOW - 301, NOW + 301])('is rejected if its time differs by more than the tolerance', async (seconds) => {
    at(seconds);
    const headers = standardHeaders(Buffer.alloc(32, 7));

    const verified = verifyWebhook({ body: BODY, headers, secret: SECRET });

    await expect(verified).rejects.toMatchObject({ reason: 'outside_tolerance' });
    await verifyWebhook({ body: BODY, headers, secret: SECRET, toleranceSeconds: 302 });
  });

  test.each(['', 'now', '-1', '1e9', '99999999999999'])('is rejected if its time is %j', async (timestamp) => {
    at(NOW);
    const headers = standardHeaders(Buffer.alloc(32, 7), BODY, timestamp);

    const verified = verifyWebhook({ body: BODY, headers, secret: SECRET, toleranceSeconds: Number.POSITIVE_INFINITY });

    await expect(verified).rejects.toMatchObject({ reason: 'outside_tolerance' });
  });

  test('is rejected if it is signed but not JSON', async () => {
    at(NOW);
    const headers = standardHeaders(Buffer.alloc(32, 7), 'no json');

    const verified = verifyWebhook({ body: 'no json', headers, secret: SECRET });

    await expect(verified).rejects.toMatchObject({ reason: 'body_invalid' });
  });
});

test('a delivery of the service is accepted by the new and by the old secret', async () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = {
    'X-Service-Signature': signBody(SECRET, BODY),
    'webhook-id': 'd-1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage([SECRET, OTHER], 'd-1', timestamp, BODY),
  };

  for (const secret of [SECRET, OTHER]) await verifyWebhook({ body: BODY, headers, secret });
  const { 'X-Service-Signature': alone } = headers;
  const unlimited = { toleranceSeconds: Number.POSITIVE_INFINITY };
  await verifyWebhook({ body: BODY, headers: { 'X-Service-Signature': alone }, secret: SECRET, ...unlimited });
});

describe('a delivery with X-Service-Signature alone', () => {
  const signature = (key: string) => `sha256=${createHmac('sha256', key).update(BODY).digest('hex')}`;
  const request = (header: string) => ({
    body: BODY,
    headers: { 'X-Service-Signature': header, 'X-Service-Delivery': 'd-1' },
    secret: SECRET,
    toleranceSeconds: Number.POSITIVE_INFINITY,
  });

  test('is accepted if the tolerance is Infinity', async () => {
    expect(await verifyWebhook(request(signature(SECRET)))).toMatchObject({
      deliveryId: 'd-1',
      event: 'memory.updated',
    });
    await verifyWebhook(request(`${signature(OTHER)}, ${signature(SECRET)}`));
    await verifyWebhook({ ...request(signature(OTHER)), secret: [SECRET, OTHER] });
  });

  test('is rejected if the tolerance is finite, so that removing the other headers does not help an attacker', async () => {
    const verified = verifyWebhook({ ...request(signature(SECRET)), toleranceSeconds: undefined });

    await expect(verified).rejects.toMatchObject({ reason: 'signature_missing' });
  });

  test.each([signature(OTHER), 'sha256=', signature(SECRET).slice(0, -1), `${signature(SECRET)}0`, 'sha1=00', ''])(
    'is rejected with the signature %j',
    async (header) => {
      await expect(verifyWebhook(request(header))).rejects.toMatchObject({ reason: 'signature_invalid' });
    },
  );

  test('is rejected if even that header is missing', async () => {
    const verified = verifyWebhook({ body: BODY, headers: {}, secret: SECRET });

    await expect(verified).rejects.toMatchObject({ reason: 'signature_missing' });
  });
});

describe('a delivery created for tests', () => {
  test('is accepted by the receiver with the same secret', async () => {
    const { body, headers } = await signTestWebhook({ secret: SECRET, deliveryId: 'd-9' });

    const delivery = await verifyWebhook({ body, headers, secret: SECRET });

    expect(delivery).toMatchObject({ event: 'memory.ingested', deliveryId: 'd-9', payload: { outcome: 'created' } });
  });

  test('has the headers that the specification lists', async () => {
    const event = { event: 'memory.deleted' as const };

    const { body, headers } = await signTestWebhook({ secret: [SECRET, OTHER], event });

    expect(headers['X-Service-Event']).toBe('memory.deleted');
    expect(headers['X-Service-Signature']).toBe(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
    await verifyWebhook({ body, headers, secret: OTHER });
  });

  test('can have another time', async () => {
    const { body, headers } = await signTestWebhook({ secret: SECRET, sentAt: new Date(0) });

    await expect(verifyWebhook({ body, headers, secret: SECRET })).rejects.toMatchObject({
      reason: 'outside_tolerance',
    });
  });
});
