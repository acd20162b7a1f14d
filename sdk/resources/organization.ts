import type { ApiCall } from '../calls.js';
import { createOrganization, getOrganization, updateOrganization } from '../generated/sdk.gen.js';
import type { Organization, OrganizationName } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The organization itself. */
export class OrganizationResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes another organization, which the user of the session owns. @throws {ConflictError} if they own too many */
  create(organization: OrganizationName, options: CallOptions = {}): ApiCall<Organization> {
    return this.#transport.call('createOrganization', options, (attempt) =>
      createOrganization({ ...attempt, body: organization }),
    );
  }

  get(options: CallOptions = {}): ApiCall<Organization> {
    return this.#transport.call('getOrganization', options, getOrganization);
  }

  /** Renames the organization. For owners. */
  update(change: OrganizationName, options: CallOptions = {}): ApiCall<Organization> {
    return this.#transport.call('updateOrganization', options, (attempt) =>
      updateOrganization({ ...attempt, body: change }),
    );
  }
}
