import { createOrganization, deleteOrganization, getOrganization, updateOrganization } from '../generated/sdk.gen.js';
import type { Organization, OrganizationDeletion, OrganizationName } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { ApiCall } from '../transport/calls.js';
import { nothing, type Transport } from '../transport/transport.js';

/** The organization itself. */
export class OrganizationResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Makes another organization, which the user of the session owns.
   *
   * @throws {ConflictError} if the user owns the maximum number of organizations
   * @example const { id } = await client.organization.create({ name: 'Acme' });
   */
  create(organization: OrganizationName, options: CallOptions = {}): ApiCall<Organization> {
    return this.#transport.call('createOrganization', options, (attempt) =>
      createOrganization({ ...attempt, body: organization }),
    );
  }

  /**
   * Returns the organization.
   *
   * @example const { name } = await client.organization.get();
   */
  get(options: CallOptions = {}): ApiCall<Organization> {
    return this.#transport.call('getOrganization', options, getOrganization);
  }

  /**
   * Renames the organization. For owners.
   *
   * @example await client.organization.update({ name: 'Acme' });
   */
  update(change: OrganizationName, options: CallOptions = {}): ApiCall<Organization> {
    return this.#transport.call('updateOrganization', options, (attempt) =>
      updateOrganization({ ...attempt, body: change }),
    );
  }

  /**
   * Deletes the organization with everything in it, which cannot be undone. For owners with a session.
   *
   * @param confirmation repeats the name of the organization
   * @throws {ConflictError} while the organization has an open subscription
   * @example await client.organization.delete({ name: 'Acme' });
   */
  delete(confirmation: OrganizationDeletion, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'deleteOrganization',
      options,
      (attempt) => deleteOrganization({ ...attempt, body: confirmation }),
      nothing,
    );
  }
}
