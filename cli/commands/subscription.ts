import type { SubscriptionReport } from '@memory-service/sdk';
import { BaseCommand } from '../base-command.js';
import { formatFields } from '../lib/output/table.js';

export default class Subscription extends BaseCommand<typeof Subscription> {
  static override description = 'show the plan of the organization; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<SubscriptionReport> {
    const client = await this.client();
    const report = await client.subscription.get();
    const { subscription, plan } = report;
    this.log(formatFields({ ...report, subscription: subscription ?? 'none', plan: plan ?? 'none' }));
    return report;
  }
}
