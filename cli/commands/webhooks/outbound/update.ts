import type { OutboundWebhook } from '@memory-service/sdk';
import { OUTBOUND_EVENTS } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../base-command.js';
import { formatFields } from '../../../lib/output/table.js';

export default class WebhooksOutboundUpdate extends BaseCommand<typeof WebhooksOutboundUpdate> {
  static override description = 'change an outbound webhook, or switch it on or off; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70 --enabled'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  static override flags = {
    description: Flags.string({ description: 'free text' }),
    enabled: Flags.boolean({ allowNo: true, description: 'send events' }),
    event: Flags.option({
      description: 'event to report from now on; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      options: OUTBOUND_EVENTS,
    })(),
    url: Flags.string({ description: 'https URL of the endpoint' }),
  };

  override async run(): Promise<OutboundWebhook> {
    const { description, enabled, event, url } = this.flags;
    const client = await this.client();
    const webhook = await client.outboundWebhooks.update(this.args.id, { description, enabled, events: event, url });
    this.log(formatFields(webhook));
    return webhook;
  }
}
