import type { CreatedToken } from '@memory-service/sdk';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../base-command.js';

export default class TokensCreate extends BaseCommand<typeof TokensCreate> {
  static override description = 'make an access token for yourself; it is shown only now';

  static override examples = [
    '<%= config.bin %> <%= command.id %> planner --ability memory:ingest --ability memory:search',
    '<%= config.bin %> <%= command.id %> audit --ability memory:search --expires-at 2026-12-31T00:00:00Z',
  ];

  static override args = {
    name: Args.string({ description: 'what people know it by', required: true }),
  };

  static override flags = {
    ability: Flags.string({
      char: 'a',
      description: 'what it may do, such as memory:search; may be repeated',
      multiple: true,
      multipleNonGreedy: true,
      required: true,
    }),
    'expires-at': Flags.string({ description: 'when it ends, ISO 8601 with a zone; never unless given' }),
  };

  override async run(): Promise<CreatedToken> {
    const client = await this.client();
    const created = await client.tokens.create({
      abilities: this.flags.ability,
      expiresAt: this.flags['expires-at'],
      name: this.args.name,
    });
    this.logToStderr(`${created.id}  keep the token: it is not shown again`);
    this.log(created.token);
    return created;
  }
}
