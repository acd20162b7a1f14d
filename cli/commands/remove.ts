import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { createdFlags, filterFlags, toFilter } from '../lib/flags/filter-flags.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { removeMatching } from '../lib/remove-matching.js';

const { 'include-deleted': _, ...chosen } = filterFlags;

type Removed = { id: string; deleted: true } | { deleted: number };

export default class Remove extends BaseCommand<typeof Remove> {
  static override hiddenAliases = ['delete', 'rm'];

  static override description = 'soft-delete a memory, or all that the flags select';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11',
    '<%= config.bin %> <%= command.id %> --subject user-17 --yes',
  ];

  static override args = {
    id: Args.string({ description: 'id of the memory' }),
  };

  static override flags = {
    ...chosen,
    ...createdFlags,
    yes: Flags.boolean({ description: 'delete the memories that the flags select; without it, only show how many' }),
  };

  override async run(): Promise<Removed> {
    const { id } = this.args;
    const client = await this.client();
    return withSubjectKey(this.flags.subject, async (subjectKey) => {
      const filter = toFilter(this.flags, subjectKey);
      if ((id === undefined) === (filter === undefined)) {
        throw this.usage('pass an id, or flags that select memories');
      }
      if (id !== undefined) {
        await client.delete(id);
        this.log(`deleted  ${id}`);
        return { id, deleted: true };
      }
      const isWatched = process.stderr.isTTY && !this.jsonEnabled();
      const deleted = await removeMatching(client, filter ?? {}, { yes: this.flags.yes, isWatched });
      this.log(`deleted  ${deleted} ${deleted === 1 ? 'memory' : 'memories'}`);
      return { deleted };
    });
  }
}
