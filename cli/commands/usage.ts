import type { UsageReport } from '@memory-service/sdk';
import { BaseCommand } from '../base-command.js';
import { formatFields } from '../lib/table.js';

export default class Usage extends BaseCommand<typeof Usage> {
  static override description = 'show the usage of the current period; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  override async run(): Promise<UsageReport> {
    const client = await this.client();
    const report = await client.usage.get();
    const { period, ingest, search, storage } = report;
    const of = ({ used, cap }: UsageReport['ingest']) => (cap === null ? `${used} (no cap)` : `${used} of ${cap}`);
    this.log(
      formatFields({
        period: `${period.startsAt} to ${period.endsAt}`,
        ingests: of(ingest),
        searches: of(search),
        // Earlier releases of the service do not report it.
        ...(storage && { 'stored bytes': of(storage) }),
      }),
    );
    return report;
  }
}
