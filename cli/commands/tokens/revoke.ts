import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';

export default class TokensRevoke extends BaseCommand<typeof TokensRevoke> {
  static override description = 'revoke an access token immediately';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a3-1f20-7d11-8a4c-6b1e0f2a3c44'];

  static override args = {
    id: Args.string({ description: 'id of the token', required: true }),
  };

  override async run(): Promise<{ id: string; revoked: true }> {
    const client = await this.client();
    await client.tokens.revoke(this.args.id);
    this.log(`revoked  ${this.args.id}`);
    return { id: this.args.id, revoked: true };
  }
}
