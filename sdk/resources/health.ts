import { UnavailableError } from '../errors.js';
import { getLiveness, getReadiness } from '../generated/sdk.gen.js';
import type { Liveness, Readiness } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { ApiCall } from '../transport/calls.js';
import type { Transport } from '../transport/transport.js';

/** The health of the service. Its calls send no token and are not retried. */
export class HealthResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Checks that the process responds.
   *
   * @example await client.health.live();
   */
  live(options: CallOptions = {}): ApiCall<Liveness> {
    return this.#transport.call('getLiveness', options, getLiveness);
  }

  /**
   * Checks that the service can process requests. Also resolves if the status is `down`.
   *
   * @example const { status, checks } = await client.health.ready();
   */
  async ready(options: CallOptions = {}): Promise<Readiness> {
    try {
      return await this.#transport.call('getReadiness', options, getReadiness);
    } catch (error) {
      if (error instanceof UnavailableError && isReadiness(error.body)) return error.body;
      throw error;
    }
  }
}

function isReadiness(body: unknown): body is Readiness {
  return typeof body === 'object' && body !== null && 'checks' in body;
}
