import type { OutboundWebhook } from '@memory-service/sdk';
import { BaseCommand } from '../../../base-command.js';
import { collect } from '../../../lib/collect.js';

export default class WebhooksOutbound extends BaseCommand<typeof WebhooksOutbound> {
  static override description = 'list the webhooks that report changes; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ webhooks: OutboundWebhook[] }> {
    const client = await this.client();
    const webhooks = await collect(client.outboundWebhooks.list());
    this.table(
      webhooks,
      [
        { heading: 'id', text: ({ id }) => id },
        { heading: 'url', text: ({ url }) => url },
        { heading: 'events', text: ({ events }) => events.join(' ') },
        { heading: 'state', text: ({ enabled, disabledReason }) => (enabled ? 'enabled' : `off (${disabledReason})`) },
      ],
      'no outbound webhooks',
    );
    return { webhooks };
  }
}
