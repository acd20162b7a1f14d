import type { OutboundWebhookWithSecret } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';

export default class WebhooksOutboundRotate extends BaseCommand<typeof WebhooksOutboundRotate> {
  static override description = 'rotate the secret of an outbound webhook; the old one stays valid for 24 hours';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  override async run(): Promise<OutboundWebhookWithSecret> {
    const client = await this.client();
    const webhook = await client.outboundWebhooks.rotateSecret(this.args.id);
    this.logToStderr('save the secret: it is not shown again');
    this.log(webhook.secret);
    return webhook;
  }
}
