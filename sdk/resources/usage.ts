import type { ApiCall } from '../calls.js';
import { getUsage } from '../generated/sdk.gen.js';
import type { UsageReport } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** How much of what its plan allows the organization has used. */
export class UsageResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The use of the present period. */
  get(options: CallOptions = {}): ApiCall<UsageReport> {
    return this.#transport.call('getUsage', options, getUsage);
  }
}
