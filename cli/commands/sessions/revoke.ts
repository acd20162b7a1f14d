import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';

export default class SessionsRevoke extends BaseCommand<typeof SessionsRevoke> {
  static override description = 'end one of your sessions immediately';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a5-3c40-7e33-8d6e-8d3a2b4c5e66'];

  static override args = {
    id: Args.string({ description: 'id of the session', required: true }),
  };

  override async run(): Promise<{ id: string; revoked: true }> {
    const client = await this.client();
    await client.session.revoke(this.args.id);
    this.log(`revoked  ${this.args.id}`);
    return { id: this.args.id, revoked: true };
  }
}
