import type { InboundWebhook } from '@memory-service/sdk';
import { BaseCommand } from '../../../base-command.js';
import { collect } from '../../../lib/collect.js';

export default class WebhooksInbound extends BaseCommand<typeof WebhooksInbound> {
  static override description = 'list the webhooks that create memories; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<{ webhooks: InboundWebhook[] }> {
    const client = await this.client();
    const webhooks = await collect(client.inboundWebhooks.list());
    this.table(
      webhooks,
      [
        { heading: 'id', text: ({ id }) => id },
        { heading: 'kind', text: (webhook) => webhook.kind },
        { heading: 'name', text: ({ name }) => name },
        { heading: 'events', text: ({ events }) => events.join(' ') },
        { heading: 'enabled', text: ({ enabled }) => enabled },
        { heading: 'path', text: ({ path }) => path },
      ],
      'no inbound webhooks',
    );
    return { webhooks };
  }
}
