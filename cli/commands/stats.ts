import type { Stats as Counts } from '@memory-service/sdk';
import { BaseCommand } from '../base-command.js';
import { createdFlags, filterFlags, toFilter } from '../lib/flags/filter-flags.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { counted } from '../lib/output/counted.js';
import type { Column } from '../lib/output/table.js';

const COLUMNS: Column<{ key: string; value: string | number | boolean | null; count: number }>[] = [
  { heading: 'key', text: ({ key }) => key },
  { heading: 'value', text: ({ value }) => value },
  { heading: 'count', text: ({ count }) => count, align: 'right' },
];

export default class Stats extends BaseCommand<typeof Stats> {
  static override description = 'count memories, in total and by the common metadata keys';

  static override examples = ['<%= config.bin %> <%= command.id %> --project platform'];

  static override flags = { ...filterFlags, ...createdFlags };

  override async run(): Promise<Counts> {
    const client = await this.client();
    const counts = await withSubjectKey(this.flags.subject, (subjectKey) =>
      client.stats({ filter: toFilter(this.flags, subjectKey), includeDeleted: this.flags['include-deleted'] }),
    );
    this.log(`${counts.meta.filtered} of ${counted(counts.meta.total, 'memory', 'memories')}`);
    const rows = Object.entries(counts.facets).flatMap(([key, values]) => values.map((value) => ({ key, ...value })));
    const { truncated } = counts.meta;
    if (truncated) this.log(`Only the 100 most frequent values are shown of: ${truncated.join(', ')}`);
    this.table(rows, COLUMNS, 'no memory has one of the common metadata keys');
    return counts;
  }
}
