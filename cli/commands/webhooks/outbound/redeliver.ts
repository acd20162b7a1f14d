import type { OutboundDelivery } from '@memory-service/sdk';
import { Args } from '@oclif/core';
import { BaseCommand } from '../../../base-command.js';

export default class WebhooksOutboundRedeliver extends BaseCommand<typeof WebhooksOutboundRedeliver> {
  static override description = 'send a delivery again with the same delivery id; for owners';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70 0198c5a2-9c40-7d11-8a4c-6b1e0f2a3c44',
  ];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
    deliveryId: Args.string({ description: 'id of the delivery', required: true }),
  };

  override async run(): Promise<OutboundDelivery> {
    const client = await this.client();
    const delivery = await client.outboundWebhooks.redeliver(this.args.id, this.args.deliveryId);
    this.log(`${delivery.status}  ${delivery.id}`);
    return delivery;
  }
}
