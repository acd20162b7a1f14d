import type { SimilarMemories } from '@memory-service/sdk';
import { SIMILAR_LIMIT } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../base-command.js';
import { createdFlags, filterFlags, toFilter } from '../lib/flags/filter-flags.js';
import { limitFlag } from '../lib/flags/limit-flag.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { resultColumns } from '../lib/output/print-memories.js';

export default class Similar extends BaseCommand<typeof Similar> {
  static override description = 'find the memories closest in meaning to a memory';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11 --kind note --limit 3',
  ];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
  };

  static override flags = {
    ...filterFlags,
    ...createdFlags,
    limit: limitFlag(SIMILAR_LIMIT),
  };

  override async run(): Promise<SimilarMemories> {
    const client = await this.client();
    const found = await withSubjectKey(this.flags.subject, (subjectKey) =>
      client.similar(this.args.id, {
        filter: toFilter(this.flags, subjectKey),
        includeDeleted: this.flags['include-deleted'],
        limit: this.flags.limit,
      }),
    );
    this.table(found.results, resultColumns(), 'nothing found');
    return found;
  }
}
