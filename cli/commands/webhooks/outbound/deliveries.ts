import type { OutboundDelivery } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../base-command.js';
import { collect } from '../../../lib/collect.js';
import { pageLimitFlag } from '../../../lib/flags/limit-flag.js';
import { timeFlag } from '../../../lib/flags/time-flag.js';

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

export default class WebhooksOutboundDeliveries extends BaseCommand<typeof WebhooksOutboundDeliveries> {
  static override description = 'list the deliveries of an outbound webhook, newest first; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  static override flags = {
    limit: pageLimitFlag,
    since: timeFlag('only deliveries created from this time on'),
    status: Flags.option({ description: 'only deliveries in this state', options: DELIVERY_STATES })(),
  };

  override async run(): Promise<{ deliveries: OutboundDelivery[] }> {
    const { limit, since, status } = this.flags;
    const client = await this.client();
    const deliveries = await collect(client.outboundWebhooks.deliveries(this.args.id, { limit, since, status }), limit);
    this.table(
      deliveries,
      [
        { heading: 'id', text: ({ id }) => id },
        { heading: 'created', text: ({ createdAt }) => createdAt.slice(0, 19) },
        { heading: 'event', text: ({ event }) => event },
        { heading: 'status', text: ({ status }) => status },
        { heading: 'attempts', text: ({ attempts }) => attempts, align: 'right' },
        { heading: 'last', text: ({ lastAttempt }) => lastAttempt?.status ?? lastAttempt?.failure },
      ],
      'no deliveries',
    );
    return { deliveries };
  }
}
