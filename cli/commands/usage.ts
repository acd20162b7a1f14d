import type { DailyUsage, UsageReport } from '@memory-service/sdk';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { formatFields } from '../lib/output/table.js';

export default class Usage extends BaseCommand<typeof Usage> {
  static override description = 'show the usage of the current period, or of each of the last days; for owners';

  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --days 30'];

  static override flags = {
    days: Flags.integer({ description: 'show this many days, today included', max: 90, min: 1 }),
  };

  override async run(): Promise<UsageReport | { days: DailyUsage[] }> {
    const client = await this.client();
    if (this.flags.days !== undefined) {
      const { days } = await client.usage.days({ limit: this.flags.days });
      this.table(
        days,
        [
          { heading: 'day', text: ({ day }) => day },
          { heading: 'stored', text: ({ stored }) => String(stored) },
          { heading: 'merged', text: ({ merged }) => String(merged) },
          { heading: 'replayed', text: ({ replayed }) => String(replayed) },
          { heading: 'searched', text: ({ searched }) => String(searched) },
        ],
        'no days',
      );
      return { days };
    }
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
