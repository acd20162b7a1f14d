import type { ApiToken } from '@memory-service/sdk';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { collect } from '../../lib/collect.js';

const REVOCATION = [
  { heading: 'revoked', text: ({ revokedAt }: ApiToken) => revokedAt?.slice(0, 16) },
  { heading: 'by', text: ({ revokedBy, revokedByEmail }: ApiToken) => revokedByEmail ?? revokedBy },
];

export default class Tokens extends BaseCommand<typeof Tokens> {
  static override description = 'list access tokens: for owners all of the organization, otherwise your own';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override flags = {
    'include-revoked': Flags.boolean({ description: 'also list revoked tokens' }),
  };

  override async run(): Promise<{ tokens: ApiToken[] }> {
    const includeRevoked = this.flags['include-revoked'];
    const client = await this.client();
    const tokens = await collect(client.tokens.list({ includeRevoked }));
    this.table(
      tokens,
      [
        { heading: 'id', text: ({ id }) => id },
        { heading: 'name', text: ({ name }) => name },
        { heading: 'token', text: ({ prefix, lastFour }) => `${prefix}…${lastFour}` },
        { heading: 'abilities', text: ({ abilities }) => abilities.filter(isOwn).join(' ') },
        { heading: 'last used', text: ({ lastUsedAt }) => lastUsedAt?.slice(0, 16) ?? 'never' },
        { heading: 'expires', text: ({ expiresAt }) => expiresAt?.slice(0, 16) ?? 'never' },
        ...(includeRevoked ? REVOCATION : []),
      ],
      'no tokens',
    );
    return { tokens };
  }
}

/** Leaves out the ability for the organization, which every token has. */
function isOwn(ability: string): boolean {
  return !ability.startsWith('organization:');
}
