import type { Invitation } from '@memory-service/sdk';
import { BaseCommand } from '../../base-command.js';
import { collect } from '../../lib/collect.js';

export default class Invitations extends BaseCommand<typeof Invitations> {
  static override description = 'list the open invitations; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ invitations: Invitation[] }> {
    const client = await this.client();
    const invitations = await collect(client.invitations.list());
    this.table(
      invitations,
      [
        { heading: 'id', text: ({ id }) => id },
        { heading: 'e-mail', text: ({ email }) => email },
        { heading: 'role', text: ({ role }) => role },
        { heading: 'expires', text: ({ expiresAt }) => expiresAt.slice(0, 16) },
      ],
      'no open invitations',
    );
    return { invitations };
  }
}
