import type { InboundWebhook } from '@memory-service/sdk';
import { INBOUND_EVENTS } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../base-command.js';
import { formatFields } from '../../../lib/output/table.js';

export default class WebhooksInboundUpdate extends BaseCommand<typeof WebhooksInboundUpdate> {
  static override description = 'change the events or name of an inbound webhook, or switch it on or off; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70 --no-enabled'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  static override flags = {
    enabled: Flags.boolean({ allowNo: true, description: 'accept deliveries' }),
    event: Flags.option({
      description: 'event to accept from now on; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      options: INBOUND_EVENTS,
    })(),
    name: Flags.string({ description: 'display name' }),
  };

  override async run(): Promise<InboundWebhook> {
    const { enabled, event, name } = this.flags;
    const client = await this.client();
    const webhook = await client.inboundWebhooks.update(this.args.id, { enabled, events: event, name });
    this.log(formatFields(webhook));
    return webhook;
  }
}
