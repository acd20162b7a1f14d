import type { OutboundDeliveryDetail } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';
import { formatFields } from '../../../lib/output/table.js';

export default class WebhooksOutboundDelivery extends BaseCommand<typeof WebhooksOutboundDelivery> {
  static override description = 'show what was sent in a delivery and what each attempt was answered; for owners';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70 0198c5a2-9c40-7d11-8a4c-6b1e0f2a3c44',
  ];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
    deliveryId: Args.string({ description: 'id of the delivery', required: true }),
  };

  override async run(): Promise<OutboundDeliveryDetail> {
    const client = await this.client();
    const delivery = await client.outboundWebhooks.delivery(this.args.id, this.args.deliveryId);
    const { attemptLog, lastAttempt: _, ...fields } = delivery;
    this.log(`${formatFields(fields)}\n`);
    this.table(
      attemptLog,
      [
        { heading: 'ended', text: ({ at }) => at.slice(0, 19) },
        { heading: 'result', text: ({ status, failure }) => status ?? failure },
        { heading: 'ms', text: ({ durationMs }) => durationMs, align: 'right' },
        { heading: 'answer', text: ({ answer }) => answer },
      ],
      'no attempts',
    );
    return delivery;
  }
}
