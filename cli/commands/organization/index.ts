import type { Organization } from '@memory-service/sdk';
import { BaseCommand } from '../../base-command.js';
import { formatFields } from '../../lib/output/table.js';

export default class OrganizationShow extends BaseCommand<typeof OrganizationShow> {
  static override description = 'show the organization and its name';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<Organization> {
    const client = await this.client();
    const organization = await client.organization.get();
    this.log(formatFields(organization));
    return organization;
  }
}
