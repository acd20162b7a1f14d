import type { Session } from '@memory-service/sdk';
import { BaseCommand } from '../../base-command.js';
import { collect } from '../../lib/collect.js';

export default class Sessions extends BaseCommand<typeof Sessions> {
  static override description = 'list the browsers in which you are signed in to the dashboard';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ sessions: Session[] }> {
    const client = await this.client();
    const sessions = await collect(client.session.list());
    this.table(
      sessions,
      [
        { heading: 'id', text: ({ id }) => id },
        { heading: 'since', text: ({ createdAt }) => createdAt.slice(0, 16) },
        { heading: 'last used', text: ({ lastUsedAt }) => lastUsedAt.slice(0, 16) },
        { heading: 'address', text: ({ ip }) => ip ?? 'unknown' },
        { heading: 'software', text: ({ userAgent }) => userAgent ?? 'unknown' },
      ],
      'no sessions',
    );
    return { sessions };
  }
}
