import type { OrganizationSettings } from '@memory-service/sdk';
import { BaseCommand } from '../../base-command.js';
import { formatSettings } from '../../lib/output/format-settings.js';

export default class Settings extends BaseCommand<typeof Settings> {
  static override description = 'show the settings of the organization';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<OrganizationSettings> {
    const client = await this.client();
    const settings = await client.settings.get();
    this.log(formatSettings(settings));
    return settings;
  }
}
