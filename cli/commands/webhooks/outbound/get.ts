import type { OutboundWebhook } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';
import { formatFields } from '../../../lib/output/table.js';

export default class WebhooksOutboundGet extends BaseCommand<typeof WebhooksOutboundGet> {
  static override description = 'show one outbound webhook; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  override async run(): Promise<OutboundWebhook> {
    const client = await this.client();
    const webhook = await client.outboundWebhooks.get(this.args.id);
    this.log(formatFields(webhook));
    return webhook;
  }
}
