import type { InboundDelivery } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../base-command.js';
import { collect } from '../../../lib/collect.js';
import { pageLimitFlag } from '../../../lib/flags/limit-flag.js';

const DELIVERY_STATES = ['queued', 'processed', 'ignored', 'failed'] as const;

export default class WebhooksInboundDeliveries extends BaseCommand<typeof WebhooksInboundDeliveries> {
  static override description = 'list the deliveries to an inbound webhook, newest first; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  static override flags = {
    limit: pageLimitFlag,
    state: Flags.option({ description: 'only deliveries in this state', options: DELIVERY_STATES })(),
  };

  override async run(): Promise<{ deliveries: InboundDelivery[] }> {
    const { limit, state } = this.flags;
    const client = await this.client();
    const deliveries = await collect(client.inboundWebhooks.deliveries(this.args.id, { limit, state }), limit);
    this.table(
      deliveries,
      [
        { heading: 'received', text: ({ receivedAt }) => receivedAt.slice(0, 19) },
        { heading: 'delivery', text: ({ deliveryId }) => deliveryId },
        { heading: 'event', text: ({ event }) => event },
        { heading: 'state', text: ({ state }) => state },
        { heading: 'stored', text: ({ counts }) => counts.stored, align: 'right' },
        { heading: 'rejected', text: ({ counts }) => counts.rejected, align: 'right' },
        { heading: 'reason', text: ({ reason }) => reason },
      ],
      'no deliveries',
    );
    return { deliveries };
  }
}
