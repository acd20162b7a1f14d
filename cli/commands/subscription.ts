import type { SubscriptionReport } from '@memory-service/sdk';
import { BaseCommand } from '../base-command.js';
import { formatFields } from '../lib/output/table.js';

export default class Subscription extends BaseCommand<typeof Subscription> {
  static override description = 'show the plan of the organization; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<SubscriptionReport> {
    const client = await this.client();
    const subscription = await client.subscription.get();
    this.log(formatFields(subscription));
    return subscription;
  }
}
