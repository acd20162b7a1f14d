import type { OutboundDelivery } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';
import { EXIT } from '../../../exit-codes.js';
import { timeFlag } from '../../../lib/flags/time-flag.js';

export default class WebhooksOutboundRedeliver extends BaseCommand<typeof WebhooksOutboundRedeliver> {
  static override description = 'send a delivery, or all that failed since a time, again with the same ids; for owners';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70 0198c5a2-9c40-7d11-8a4c-6b1e0f2a3c44',
    '<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70 --since 2026-03-01T00:00:00Z',
  ];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
    deliveryId: Args.string({ description: 'id of the delivery; without it, give --since' }),
  };

  static override flags = {
    since: timeFlag('all failed deliveries created from this time on'),
  };

  override async run(): Promise<OutboundDelivery | { redelivered: number }> {
    const { id, deliveryId } = this.args;
    const { since } = this.flags;
    if (deliveryId !== undefined && since === undefined) return this.#one(id, deliveryId);
    if (since !== undefined && deliveryId === undefined) return this.#failedSince(id, since);
    return this.error('Give either the id of a delivery or --since', { exit: EXIT.usage });
  }

  async #one(id: string, deliveryId: string): Promise<OutboundDelivery> {
    const client = await this.client();
    const delivery = await client.outboundWebhooks.redeliver(id, deliveryId);
    this.log(`${delivery.status}  ${delivery.id}`);
    return delivery;
  }

  async #failedSince(id: string, since: string): Promise<{ redelivered: number }> {
    const client = await this.client();
    let redelivered = 0;
    for (let hasMore = true; hasMore; ) {
      const again = await client.outboundWebhooks.redeliverFailed(id, { since });
      redelivered += again.redelivered;
      hasMore = again.hasMore;
    }
    this.log(`${redelivered} pending`);
    return { redelivered };
  }
}
