import type { ApiCall } from '../calls.js';
import { getSubscription } from '../generated/sdk.gen.js';
import type { SubscriptionReport } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The subscription of the organization. */
export class SubscriptionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the subscription in effect and its plan. */
  get(options: CallOptions = {}): ApiCall<SubscriptionReport> {
    return this.#transport.call('getSubscription', options, getSubscription);
  }
}
