import type { InboundWebhookWithSecret } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';

export default class WebhooksInboundRotate extends BaseCommand<typeof WebhooksInboundRotate> {
  static override description = 'rotate the secret of an inbound webhook; the old one stays valid for 24 hours';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  override async run(): Promise<InboundWebhookWithSecret> {
    const client = await this.client();
    const webhook = await client.inboundWebhooks.rotateSecret(this.args.id);
    this.logToStderr('save the secret: it is not shown again');
    this.log(webhook.secret);
    return webhook;
  }
}
