import { createBillingPortalLink, getSubscription } from '../generated/sdk.gen.js';
import type { BillingPortalLink, SubscriptionReport } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { ApiCall } from '../transport/calls.js';
import type { Transport } from '../transport/transport.js';

/** The subscription of the organization. */
export class SubscriptionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the subscription in effect and its plan.
   *
   * @example const { subscription } = await client.subscription.get();
   */
  get(options: CallOptions = {}): ApiCall<SubscriptionReport> {
    return this.#transport.call('getSubscription', options, getSubscription);
  }

  /**
   * Makes a link to the customer portal of the billing provider. Needs a session of an owner.
   *
   * @throws {ConflictError} if the deployment has no billing provider, or the provider has no customer for the organization
   * @example const { url } = await client.subscription.createPortalLink();
   */
  createPortalLink(options: CallOptions = {}): ApiCall<BillingPortalLink> {
    return this.#transport.call('createBillingPortalLink', options, createBillingPortalLink);
  }
}
