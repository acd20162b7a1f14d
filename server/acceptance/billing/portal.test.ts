import { describe, expect, test } from 'vitest';
import { PortalUnavailableError, UnknownCustomerError } from '../../ports/customer-portal.js';
import { browser, person, signedIn } from '../../testing/app/sign-in.js';
import { type TestApp, type TestOverrides, testApp } from '../../testing/app/test-app.js';
import { OPEN_PORTAL, subscribe } from '../../testing/fixtures/subscriptions.js';

const PATH = '/api/organization/subscription/portal-links';
const SUBSCRIPTION = '/api/organization/subscription';
const AUDIT = '/api/organization/audit-events?action=subscription.portal';

async function payingApp(overrides: TestOverrides = {}): Promise<TestApp> {
  const app = await testApp({ customerPortal: OPEN_PORTAL, ...overrides });
  await subscribe(app.deps, app.organizationId, { customerId: 'cus_1' });
  return app;
}

async function signInAs(app: TestApp, role: 'owner' | 'member') {
  return browser(app, await signedIn(app, await person(app, role)));
}

describe('createBillingPortalLink', () => {
  test('answers an owner with a link for the customer of the organization, and audits it without the link', async () => {
    const opened: unknown[] = [];
    const open = async (...given: unknown[]) => {
      opened.push(given);
      return 'https://billing.example.test/p/session/1';
    };
    const app = await payingApp({ customerPortal: { open } });
    const send = await signInAs(app, 'owner');

    const answer = await send('POST', PATH);

    expect(answer).toMatchObject({ status: 201, body: { url: 'https://billing.example.test/p/session/1' } });
    expect(opened).toEqual([['cus_1', `https://memory.example.test/o/${app.organizationId}/usage`]]);
    const { body, text } = await app.send('GET', AUDIT);
    expect(body.auditEvents).toMatchObject([{ source: 'dashboard', requestId: answer.headers['x-request-id'] }]);
    expect(text).not.toContain('session/1');
  });

  test('leads back to where the provider says if the service has no public address', async () => {
    const returnUrls: (string | undefined)[] = [];
    const open = async (_: string, returnUrl: string | undefined) => {
      returnUrls.push(returnUrl);
      return 'https://billing.example.test/';
    };
    const access = { wildcard: true, secureCookies: false, publicUrl: undefined };
    const app = await payingApp({ customerPortal: { open }, access });

    await (await signInAs(app, 'owner'))('POST', PATH);

    expect(returnUrls).toEqual([undefined]);
  });

  test('rejects members, tokens of owners, and requests without the CSRF token', async () => {
    const app = await payingApp();
    const asOwner = await signInAs(app, 'owner');

    const answers = [
      await (await signInAs(app, 'member'))('POST', PATH),
      await app.send('POST', PATH),
      await asOwner('POST', PATH, undefined, { 'x-csrf-token': undefined }),
    ];

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'owner_required'],
      [401, 'unauthenticated'],
      [403, 'csrf_token_invalid'],
    ]);
  });

  test('answers 409 without a provider, without a customer, and for one that the provider deleted', async () => {
    const deleted = { open: () => Promise.reject(new UnknownCustomerError('gone')) };
    const apps = [
      await payingApp({ customerPortal: undefined }),
      await testApp({ customerPortal: OPEN_PORTAL }),
      await payingApp({ customerPortal: deleted }),
    ];

    const answers = [];
    for (const app of apps) answers.push(await (await signInAs(app, 'owner'))('POST', PATH));

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      apps.map(() => [409, 'billing_portal_unavailable']),
    );
    expect(answers[0]?.body.error).toContain('no billing provider');
    expect(answers[1]?.body.error).toContain('take out a subscription first');
    expect(answers[2]?.text.replace(/"requestId":"[^"]+"/, '')).toBe(
      answers[1]?.text.replace(/"requestId":"[^"]+"/, ''),
    );
  });

  test('answers 503 while the provider makes no link, and audits nothing', async () => {
    const open = () => Promise.reject(new PortalUnavailableError('StripeAPIError'));
    const app = await payingApp({ customerPortal: { open } });

    const answer = await (await signInAs(app, 'owner'))('POST', PATH);

    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    expect((await app.send('GET', AUDIT)).body.auditEvents).toEqual([]);
  });
});

describe('portal of getSubscription', () => {
  test('is true only with a provider and a customer, also of a subscription that does not apply', async () => {
    const paying = await payingApp();
    const former = await payingApp();
    await subscribe(former.deps, former.organizationId, { id: 'sub_new', changedAt: 1_700_000_000_000_001 });
    const apps = [
      paying,
      former,
      await testApp({ customerPortal: OPEN_PORTAL }),
      await payingApp({ customerPortal: undefined }),
    ];

    const answers = [];
    for (const app of apps) answers.push(await app.send('GET', SUBSCRIPTION));

    expect(answers.map(({ body }) => body.portal)).toEqual([true, true, false, false]);
    expect(answers[1]?.body).toMatchObject({ subscription: { id: 'sub_new' } });
  });
});
