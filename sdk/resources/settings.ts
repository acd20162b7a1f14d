import { getOrganizationSettings, updateOrganizationSettings } from '../generated/sdk.gen.js';
import type { OrganizationSettings } from '../generated/types.gen.js';
import type { CallOptions } from '../options.js';
import type { ApiCall } from '../transport/calls.js';
import type { OrganizationSettingsUpdate } from '../transport/requests.js';
import type { Transport } from '../transport/transport.js';

/** The settings of the organization. */
export class SettingsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the settings.
   *
   * @example const { subjectKeyType } = await client.settings.get();
   */
  get(options: CallOptions = {}): ApiCall<OrganizationSettings> {
    return this.#transport.call('getOrganizationSettings', options, getOrganizationSettings);
  }

  /**
   * Changes the given settings.
   *
   * @throws {ConflictError} if the type of subject keys would change while memories have one
   * @example await client.settings.update({ subjectKeyType: 'string' });
   */
  update(change: OrganizationSettingsUpdate, options: CallOptions = {}): ApiCall<OrganizationSettings> {
    return this.#transport.call('updateOrganizationSettings', options, (attempt) =>
      updateOrganizationSettings({ ...attempt, body: change }),
    );
  }
}
