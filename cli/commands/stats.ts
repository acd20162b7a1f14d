import type { Stats as Counts } from '../../sdk/index.js';
import { BaseCommand } from '../base-command.js';
import { filterFlags, toFilter } from '../lib/filter-flags.js';
import { withSubjectKey } from '../lib/subject-key.js';
import { formatTable } from '../lib/table.js';
import { wantsColor } from '../lib/terminal.js';

export default class Stats extends BaseCommand<typeof Stats> {
  static override description = 'count memories, in all and by the common metadata keys';

  static override examples = ['<%= config.bin %> <%= command.id %> --project platform'];

  static override flags = filterFlags;

  override async run(): Promise<Counts> {
    const client = await this.client();
    const counts = await withSubjectKey(this.flags.subject, (subjectKey) =>
      client.stats({ filter: toFilter(this.flags, subjectKey), includeDeleted: this.flags['include-deleted'] }),
    );
    this.log(`${counts.meta.filtered} of ${counts.meta.total} memories`);
    const rows = Object.entries(counts.facets).flatMap(([key, values]) => values.map((value) => ({ key, ...value })));
    if (rows.length > 0) {
      const columns = [
        { heading: 'key', text: (row: (typeof rows)[number]) => row.key },
        { heading: 'value', text: (row: (typeof rows)[number]) => String(row.value) },
        { heading: 'count', text: (row: (typeof rows)[number]) => row.count, align: 'right' as const },
      ];
      this.log(formatTable(rows, columns, wantsColor(process.stdout, process.env)));
    }
    return counts;
  }
}
