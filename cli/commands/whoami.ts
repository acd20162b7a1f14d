import type { SessionInfo } from '@memory-service/sdk';
import { BaseCommand } from '../base-command.js';
import { formatFields } from '../lib/output/table.js';

export default class Whoami extends BaseCommand<typeof Whoami> {
  static override description = 'show the user, organization and abilities of the token';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<SessionInfo> {
    const { baseUrl, source } = await this.connection();
    const client = await this.client();
    const info = await client.session.get();
    const { credential, organization, user } = info;
    this.log(
      formatFields({
        service: baseUrl,
        organization: organization
          ? `${organization.name} (${organization.id})`
          : 'none: choose one with --organization',
        user: user.email,
        role: organization?.role,
        token: `${credential.name ?? credential.type}, from ${source}`,
        abilities: credential.abilities.join(', '),
        expires: credential.expiresAt,
      }),
    );
    return info;
  }
}
