import type { InboundWebhook } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';
import { formatFields } from '../../../lib/output/table.js';

export default class WebhooksInboundGet extends BaseCommand<typeof WebhooksInboundGet> {
  static override description = 'show one inbound webhook; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  override async run(): Promise<InboundWebhook> {
    const client = await this.client();
    const webhook = await client.inboundWebhooks.get(this.args.id);
    this.log(formatFields(webhook));
    return webhook;
  }
}
