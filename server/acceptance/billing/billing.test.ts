import { describe, expect, test } from 'vitest';
import { StripeBillingProvider } from '../../adapters/stripe/billing-provider.js';
import type { Answer } from '../../testing/app/http-client.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { ENFORCED, SMALL_PRICE, stripeSignature, subscribe } from '../../testing/fixtures/subscriptions.js';

const PATH = '/webhooks/billing';
const SUBSCRIPTION = '/api/organization/subscription';
const SECRET = 'whsec_test';
const NOW_SECONDS = 1_772_443_204;
const DAY_SECONDS = 24 * 60 * 60;
const now = () => NOW_SECONDS * 1_000_000;

async function billedApp(): Promise<TestApp> {
  return testApp({ now, billing: ENFORCED, billingProvider: new StripeBillingProvider(SECRET, now) });
}

interface Given {
  id?: string;
  type?: string;
  created?: number;
  status?: string;
  subscriptionId?: string;
  organizationId?: string | undefined;
  priceIds?: string[];
}

let lastEvent = 0;

function anEvent(app: TestApp, given: Given = {}): Record<string, unknown> {
  lastEvent += 1;
  const organizationId = 'organizationId' in given ? given.organizationId : app.organizationId;
  const data = (given.priceIds ?? [SMALL_PRICE]).map((id) => ({ price: { id }, current_period_end: NOW_SECONDS + 9 }));
  return {
    id: given.id ?? `evt_${lastEvent}`,
    object: 'event',
    type: given.type ?? 'customer.subscription.updated',
    created: given.created ?? NOW_SECONDS,
    data: {
      object: {
        id: given.subscriptionId ?? 'sub_1',
        object: 'subscription',
        status: given.status ?? 'active',
        billing_cycle_anchor: NOW_SECONDS - 60,
        cancel_at_period_end: false,
        trial_end: null,
        metadata: organizationId === undefined ? {} : { organizationId },
        items: { object: 'list', data },
      },
    },
  };
}

function withoutAnchor(): object {
  const object = {
    id: 'sub_1',
    status: 'active',
    metadata: { organizationId: '0198c5a2-0003-7a6e-b0c4-1f2e3d4c5b6a' },
  };
  return { id: 'evt_0', type: 'customer.subscription.updated', created: NOW_SECONDS, data: { object } };
}

function deliver(app: TestApp, event: unknown, signature?: string): Promise<Answer> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return app.send('POST', PATH, body, {
    authorization: undefined,
    'stripe-signature': signature ?? stripeSignature(body, SECRET, NOW_SECONDS),
  });
}

describe('receiveBillingEvent', () => {
  test('grants and withdraws the entitlement of an organization', async () => {
    const app = await billedApp();
    const write = () => app.send('POST', '/api/memories', { content: 'the same each time' });
    const before = await write();

    const created = await deliver(app, anEvent(app, { type: 'customer.subscription.created', status: 'trialing' }));
    const during = await write();
    const deleted = await deliver(app, anEvent(app, { type: 'customer.subscription.deleted', status: 'canceled' }));
    const after = await write();

    expect([created, deleted]).toMatchObject([
      { status: 200, body: { status: 'applied' } },
      { status: 200, body: { status: 'applied' } },
    ]);
    expect([before, during, after].map(({ status }) => status)).toEqual([402, 201, 402]);
  });

  test('applies an event once, however often it arrives, also at the same time', async () => {
    const app = await billedApp();
    const event = anEvent(app);

    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(app, event)));

    expect(answers.map(({ body }) => body.status).sort()).toEqual(['applied', ...Array(7).fill('duplicate')]);
    const { body } = await app.send('GET', '/api/organization/audit-events?action=subscription.update');
    expect(body.auditEvents).toMatchObject([
      { actor: { type: 'system', id: 'billing' }, source: 'webhook', metadata: { status: 'active' } },
    ]);
  });

  test('recognizes a repeated event for 35 days, and no longer', async () => {
    let at = NOW_SECONDS;
    const later = () => at * 1_000_000;
    const app = await testApp({ now: later, billingProvider: new StripeBillingProvider(SECRET, later) });
    const event = anEvent(app);
    const send = (sent: object) => {
      const body = JSON.stringify(sent);
      return deliver(app, body, stripeSignature(body, SECRET, at));
    };

    const first = await send(event);
    at += 35 * DAY_SECONDS;
    await send(anEvent(app, { created: at }));
    const known = await send(event);
    at += 1;
    await send(anEvent(app, { created: at }));
    const forgotten = await send(event);

    const statuses = [first, known, forgotten].map(({ body }) => body.status);
    expect(statuses).toEqual(['applied', 'duplicate', 'outdated']);
  });

  test('never replaces a later state by an earlier one', async () => {
    const app = await billedApp();
    await deliver(app, anEvent(app, { status: 'canceled', type: 'customer.subscription.deleted' }));

    const late = await deliver(app, anEvent(app, { created: NOW_SECONDS - 5 }));
    const sameSecond = await deliver(app, anEvent(app, { status: 'active' }));

    expect([late, sameSecond].map(({ body }) => body.status)).toEqual(['outdated', 'outdated']);
    expect((await app.send('GET', SUBSCRIPTION)).body).toMatchObject({ entitled: false });
  });

  test('accepts creation and activation within one second in either order', async () => {
    const app = await billedApp();

    await deliver(app, anEvent(app, { type: 'customer.subscription.updated', status: 'active' }));
    await deliver(app, anEvent(app, { type: 'customer.subscription.created', status: 'incomplete' }));

    expect((await app.send('GET', SUBSCRIPTION)).body).toMatchObject({ subscription: { status: 'active' } });
  });

  test('keeps a new subscription when the previous one ends', async () => {
    const app = await billedApp();
    await deliver(app, anEvent(app, { subscriptionId: 'sub_old', created: NOW_SECONDS - 9 }));
    await deliver(app, anEvent(app, { subscriptionId: 'sub_new', created: NOW_SECONDS - 5 }));

    await deliver(app, anEvent(app, { subscriptionId: 'sub_old', status: 'canceled' }));

    expect((await app.send('GET', SUBSCRIPTION)).body).toMatchObject({
      entitled: true,
      subscription: { id: 'sub_new' },
    });
  });

  test('rejects everything the provider did not sign with the same answer', async () => {
    const app = await billedApp();
    const body = JSON.stringify(anEvent(app));
    const right = stripeSignature(body, SECRET, NOW_SECONDS);
    const forged = [
      '',
      'nonsense',
      right.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      stripeSignature(body, 'whsec_other', NOW_SECONDS),
      stripeSignature(body, '', NOW_SECONDS),
      stripeSignature(`${body} `, SECRET, NOW_SECONDS),
      stripeSignature(body, SECRET, NOW_SECONDS - 301),
      right.replace('v1=', 'v0='),
    ];

    const answers = [
      ...(await Promise.all(forged.map((signature) => deliver(app, body, signature)))),
      await app.send('POST', PATH, body, { authorization: undefined }),
      await deliver(app, '', right),
    ];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ code: 'invalid_signature' });
    expect((await app.send('GET', SUBSCRIPTION)).body).toMatchObject({ subscription: null });
  });

  test('rejects everything with the same answer while no webhook secret is set', async () => {
    const app = await testApp({ now, billing: ENFORCED });

    const answer = await deliver(app, anEvent(app));

    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_signature' } });
  });

  test('verifies the bytes that were sent, not the parsed JSON', async () => {
    const app = await billedApp();
    const spaced = JSON.stringify(anEvent(app), null, 2);

    const answer = await deliver(app, spaced);

    expect(answer).toMatchObject({ status: 200, body: { status: 'applied' } });
  });

  test.each([
    ['half an object', '{"id":'],
    ['a string', '"evt_1"'],
    ['null', 'null'],
    ['an event without a type', '{"id":"evt_1"}'],
    ['an event without an id', '{"type":"customer.subscription.updated"}'],
    ['a subscription without an anchor', JSON.stringify(withoutAnchor())],
  ])('answers %s, correctly signed, with 400', async (_, body) => {
    const app = await billedApp();

    const answer = await deliver(app, body);

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
  });

  test('accepts events of other kinds, so that the provider does not send them again', async () => {
    const app = await billedApp();

    const answers = [
      await deliver(app, anEvent(app, { type: 'invoice.paid' })),
      await deliver(app, anEvent(app, { organizationId: undefined })),
      await deliver(app, anEvent(app, { organizationId: app.deps.newId() })),
      await deliver(app, anEvent(app, { organizationId: 'no uuid' })),
    ];

    expect(answers.map(({ status, body }) => ({ status, ...body }))).toEqual(
      answers.map(() => ({ status: 'ignored' })),
    );
  });

  test('answers 503 while the store is down, and applies the event when it is sent again', async () => {
    const app = await billedApp();
    const event = anEvent(app);
    app.store.down = 'memories';
    const refused = await deliver(app, event);
    app.store.down = 'nothing';

    const again = await deliver(app, event);

    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(again.body.status).toBe('applied');
  });
});

describe('getSubscription', () => {
  test('answers the subscription and what it allows', async () => {
    const app = await billedApp();
    await deliver(app, anEvent(app, { priceIds: ['price_of_an_extra', SMALL_PRICE] }));

    const answer = await app.send('GET', SUBSCRIPTION);

    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      enforced: true,
      entitled: true,
      subscription: {
        id: 'sub_1',
        status: 'active',
        priceIds: ['price_of_an_extra', SMALL_PRICE],
        periodEndsAt: '2026-03-02T09:20:13.000000Z',
        cancelAtPeriodEnd: false,
      },
      plan: { name: 'Small', ingestPerMonth: 3, searchPerMonth: 3, storageBytes: null },
      portal: false,
    });
  });

  test('answers null if there is no subscription', async () => {
    const app = await testApp();

    const answer = await app.send('GET', SUBSCRIPTION);

    expect(answer.body).toEqual({ enforced: false, entitled: true, subscription: null, plan: null, portal: false });
  });

  test('answers no entitlement while the provider is not configured', async () => {
    const app = await testApp({ billing: { ...ENFORCED, configured: false } });
    await subscribe(app.deps, app.organizationId, { status: 'active' });

    expect((await app.send('GET', SUBSCRIPTION)).body).toMatchObject({ entitled: false });
  });
});
