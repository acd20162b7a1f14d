import type { Member } from '@memory-service/sdk';
import { BaseCommand } from '../../base-command.js';
import { collect } from '../../lib/collect.js';

export default class Members extends BaseCommand<typeof Members> {
  static override description = 'list the members of the organization; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ members: Member[] }> {
    const client = await this.client();
    const members = await collect(client.members.list());
    this.table(
      members,
      [
        { heading: 'user id', text: ({ userId }) => userId },
        { heading: 'e-mail', text: ({ email }) => email },
        { heading: 'role', text: ({ role }) => role },
        { heading: 'joined', text: ({ joinedAt }) => joinedAt.slice(0, 16) },
      ],
      'no members',
    );
    return { members };
  }
}
