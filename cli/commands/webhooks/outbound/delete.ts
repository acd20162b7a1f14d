import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';

export default class WebhooksOutboundDelete extends BaseCommand<typeof WebhooksOutboundDelete> {
  static override description = 'delete an outbound webhook; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  override async run(): Promise<{ id: string; deleted: true }> {
    const client = await this.client();
    await client.outboundWebhooks.delete(this.args.id);
    this.log(`deleted  ${this.args.id}`);
    return { id: this.args.id, deleted: true };
  }
}
