import type { ApiCall } from '../calls.js';
import { getSubscription } from '../generated/sdk.gen.js';
import type { SubscriptionReport } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** What the organization pays for. */
export class SubscriptionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The subscription that counts, and the plan that it gives. */
  get(options: CallOptions = {}): ApiCall<SubscriptionReport> {
    return this.#transport.call('getSubscription', options, getSubscription);
  }
}
