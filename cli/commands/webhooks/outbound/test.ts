import { setTimeout } from 'node:timers/promises';
import type { OutboundDelivery } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../base-command.js';
import { EXIT } from '../../../exit-codes.js';

const LOOKED_AT_EVERY_MS = 1_000;

export default class WebhooksOutboundTest extends BaseCommand<typeof WebhooksOutboundTest> {
  static override description = 'send a test event to an endpoint and print its answer; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-9b10-7a6e-b0c4-1f2e3d4c5b70'];

  static override args = {
    id: Args.string({ description: 'id of the webhook', required: true }),
  };

  override async run(): Promise<OutboundDelivery> {
    const { id } = this.args;
    const { outboundWebhooks } = await this.client();
    let delivery: OutboundDelivery = await outboundWebhooks.test(id);
    while (delivery.status === 'pending') {
      await setTimeout(LOOKED_AT_EVERY_MS);
      delivery = await outboundWebhooks.delivery(id, delivery.id);
    }
    const { status, failure } = delivery.lastAttempt ?? {};
    this.log(`${delivery.status}  ${status ?? failure}  ${delivery.id}`);
    if (delivery.status === 'failed')
      this.error('The endpoint did not accept the event: `memory webhooks outbound delivery` shows its answer', {
        exit: EXIT.failed,
      });
    return delivery;
  }
}
