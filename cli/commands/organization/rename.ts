import type { Organization } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';
import { formatFields } from '../../lib/output/table.js';

export default class OrganizationRename extends BaseCommand<typeof OrganizationRename> {
  static override description = 'rename the organization; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> "Acme research"'];

  static override args = {
    name: Args.string({ description: 'new name', required: true }),
  };

  override async run(): Promise<Organization> {
    const client = await this.client();
    const organization = await client.organization.update({ name: this.args.name });
    this.log(formatFields(organization));
    return organization;
  }
}
