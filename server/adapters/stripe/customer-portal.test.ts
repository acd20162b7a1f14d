import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PortalUnavailableError, UnknownCustomerError } from '../../ports/customer-portal.js';
import { StripeCustomerPortal } from './customer-portal.js';

const SECRET = 'sk_test_portal';
const RETURN_URL = 'https://memory.example.test/o/1/usage';
const server = setupServer();

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** A session in the format of Stripe's reference. */
const SESSION = {
  id: 'bps_1MrSjzLkdIwHu7ixex0IvU9b',
  object: 'billing_portal.session',
  configuration: 'bpc_1MAhNDLkdIwHu7ixckACO1Jq',
  created: 1_680_210_639,
  customer: 'cus_1',
  flow: null,
  livemode: false,
  locale: null,
  on_behalf_of: null,
  return_url: RETURN_URL,
  url: 'https://billing.stripe.com/p/session/test_YWNjdF8xTTJKVGtM',
};

interface Seen {
  headers: Headers;
  form: Record<string, string>;
}

/** Answers the requests for sessions, and keeps them. */
function serve(answer: () => Response): Seen[] {
  const requests: Seen[] = [];
  server.use(
    http.post('https://api.stripe.com/v1/billing_portal/sessions', async ({ request }) => {
      const form = Object.fromEntries(new URLSearchParams(await request.text()));
      requests.push({ headers: request.headers, form });
      return answer();
    }),
  );
  return requests;
}

function refusing(status: number, error: object): () => Response {
  return () => HttpResponse.json({ error }, { status, headers: { 'stripe-should-retry': 'false' } });
}

const open = (returnUrl?: string) => new StripeCustomerPortal(SECRET).open('cus_1', returnUrl);

describe('StripeCustomerPortal', () => {
  test('asks for a session of the customer that leads back, and returns its address', async () => {
    const requests = serve(() => HttpResponse.json(SESSION));

    expect(await open(RETURN_URL)).toBe(SESSION.url);

    expect(requests.map(({ form }) => form)).toEqual([{ customer: 'cus_1', return_url: RETURN_URL }]);
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`);
  });

  test('leaves the way back to the settings of the portal if there is no address', async () => {
    const requests = serve(() => HttpResponse.json(SESSION));

    await open();

    expect(requests.map(({ form }) => form)).toEqual([{ customer: 'cus_1' }]);
  });

  test('reports a customer that the provider does not have', async () => {
    const message = "No such customer: 'cus_1'";
    serve(refusing(400, { type: 'invalid_request_error', code: 'resource_missing', param: 'customer', message }));

    await expect(open()).rejects.toThrow(UnknownCustomerError);
  });

  test.each([
    ['a rejected key', 401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${SECRET}` }],
    ['a portal without settings', 400, { type: 'invalid_request_error', message: 'No configuration provided' }],
    ['a fault of the provider', 500, { type: 'api_error', message: 'Something went wrong' }],
  ])('reports %s without the key', async (_, status, error) => {
    serve(refusing(status, error));

    const failure = await open().catch((thrown: unknown) => thrown);

    expect(failure).toBeInstanceOf(PortalUnavailableError);
    expect(failure).toHaveProperty('message', expect.stringContaining(`statusCode ${status}`));
    expect(failure).not.toHaveProperty('message', expect.stringContaining(SECRET));
    expect(failure).not.toHaveProperty('cause');
  });

  test('reports an answer without an address that a browser may open', async () => {
    serve(() => HttpResponse.json({ ...SESSION, url: 'javascript:alert(1)' }));

    await expect(open()).rejects.toThrow(PortalUnavailableError);
  });

  test('reports a provider that cannot be reached', async () => {
    const requests = serve(() => HttpResponse.error());

    await expect(open()).rejects.toThrow(PortalUnavailableError);

    expect(requests).toHaveLength(2);
  });
});
