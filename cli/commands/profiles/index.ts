import { BaseCommand } from '../../base-command.js';
import { loginPath, readProfiles } from '../../lib/connection/login-file.js';

interface Listed {
  name: string;
  isCurrent: boolean;
  baseUrl: string;
  organizationId: string | undefined;
}

export default class ProfilesCommand extends BaseCommand<typeof ProfilesCommand> {
  static override description = 'list the saved logins';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ profiles: Listed[] }> {
    const { current, profiles } = await readProfiles(loginPath(this.config.configDir));
    const listed = Object.entries(profiles).map(([name, { baseUrl, organizationId }]) => ({
      name,
      isCurrent: name === current,
      baseUrl,
      organizationId,
    }));
    this.table(
      listed,
      [
        { heading: 'profile', text: ({ name }) => name },
        { heading: 'current', text: ({ isCurrent }) => (isCurrent ? '*' : '') },
        { heading: 'service', text: ({ baseUrl }) => baseUrl },
        { heading: 'organization', text: ({ organizationId }) => organizationId },
      ],
      'no profiles: run "memory login"',
    );
    return { profiles: listed };
  }
}
