import type { RecentMemories } from '@memory-service/sdk';
import { RECENT_LIMIT } from '@memory-service/sdk/constants';
import { BaseCommand } from '../base-command.js';
import { createdFlags, filterFlags, toFilter } from '../lib/flags/filter-flags.js';
import { limitFlag } from '../lib/flags/limit-flag.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { memoryColumns } from '../lib/output/print-memories.js';

export default class Recent extends BaseCommand<typeof Recent> {
  static override description = 'list the newest memories';

  static override examples = ['<%= config.bin %> <%= command.id %> --limit 5 --project platform'];

  static override flags = {
    ...filterFlags,
    ...createdFlags,
    limit: limitFlag(RECENT_LIMIT),
  };

  override async run(): Promise<RecentMemories> {
    const client = await this.client();
    const found = await withSubjectKey(this.flags.subject, (subjectKey) =>
      client.recent({
        filter: toFilter(this.flags, subjectKey),
        includeDeleted: this.flags['include-deleted'],
        limit: this.flags.limit,
      }),
    );
    this.table(found.results, memoryColumns, 'no memories');
    return found;
  }
}
