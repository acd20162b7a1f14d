import type { ApiCall } from '../calls.js';
import { getSession } from '../generated/sdk.gen.js';
import type { SessionInfo } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** Who the client is to the service. */
export class SessionResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The user, the credential and the organization that the service sees. */
  get(options: CallOptions = {}): ApiCall<SessionInfo> {
    return this.#transport.call('getSession', options, getSession);
  }
}
