import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';

export default class InvitationsRevoke extends BaseCommand<typeof InvitationsRevoke> {
  static override description = 'revoke an open invitation; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a4-2b30-7e22-9b5d-7c2f1a3b4d55'];

  static override args = {
    id: Args.string({ description: 'id of the invitation', required: true }),
  };

  override async run(): Promise<{ id: string; revoked: true }> {
    const client = await this.client();
    await client.invitations.revoke(this.args.id);
    this.log(`revoked  ${this.args.id}`);
    return { id: this.args.id, revoked: true };
  }
}
