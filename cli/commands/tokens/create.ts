import type { CreatedToken } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { comingTimeFlag } from '../../lib/flags/time-flag.js';

export default class TokensCreate extends BaseCommand<typeof TokensCreate> {
  static override description = 'create an access token for yourself; it is shown only once';

  static override examples = [
    '<%= config.bin %> <%= command.id %> planner --ability memory:ingest --ability memory:search',
    '<%= config.bin %> <%= command.id %> audit --ability memory:search --expires-at 90d',
  ];

  static override args = {
    name: Args.string({ description: 'display name', required: true }),
  };

  static override flags = {
    ability: Flags.string({
      char: 'a',
      description: 'ability of the token, such as memory:search; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      required: true,
    }),
    'expires-at': comingTimeFlag('time at which it expires; default: never'),
  };

  override async run(): Promise<CreatedToken> {
    const client = await this.client();
    const created = await client.tokens.create({
      abilities: this.flags.ability,
      expiresAt: this.flags['expires-at'],
      name: this.args.name,
    });
    this.logToStderr(`${created.id}  save the token: it is not shown again`);
    this.log(created.token);
    return created;
  }
}
