import Stripe from 'stripe';
import { type CustomerPortal, PortalUnavailableError, UnknownCustomerError } from '../../ports/customer-portal.js';

const TIMEOUT_MS = 10_000;

/** Opens the customer portal of Stripe. */
export class StripeCustomerPortal implements CustomerPortal {
  readonly #stripe: Stripe;

  constructor(secret: string) {
    const httpClient = Stripe.createFetchHttpClient();
    this.#stripe = new Stripe(secret, { httpClient, timeout: TIMEOUT_MS, maxNetworkRetries: 1, telemetry: false });
  }

  async open(customerId: string, returnUrl: string | undefined): Promise<string> {
    const params = { customer: customerId, ...(returnUrl !== undefined && { return_url: returnUrl }) };
    const { url } = await this.#stripe.billingPortal.sessions.create(params).catch(rejectAs);
    if (!url?.startsWith('https://')) throw new PortalUnavailableError('the answer has no address');
    return url;
  }
}

/** The cause is left out: errors of the library contain the headers and bodies of the provider. */
function rejectAs(error: unknown): never {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { type, code, param, statusCode, requestId } = error;
  if (code === 'resource_missing' && param === 'customer') throw new UnknownCustomerError('the customer is not known');
  const known = Object.entries({ code, param, statusCode, requestId }).filter(([, value]) => value !== undefined);
  throw new PortalUnavailableError([type, ...known.map(([name, value]) => `${name} ${value}`)].join(', '));
}
