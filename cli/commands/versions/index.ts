import type { MemoryVersion } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../base-command.js';
import { collect } from '../../lib/collect.js';
import { pageLimitFlag } from '../../lib/flags/limit-flag.js';
import { TEXT_WIDTH } from '../../lib/output/print-memories.js';

export default class Versions extends BaseCommand<typeof Versions> {
  static override description = 'list the versions of a memory, newest first';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11'];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
  };

  static override flags = {
    'include-deleted': Flags.boolean({ description: 'list them even if the memory is soft-deleted' }),
    limit: pageLimitFlag,
  };

  override async run(): Promise<{ versions: MemoryVersion[] }> {
    const { limit, 'include-deleted': includeDeleted } = this.flags;
    const client = await this.client();
    const versions = await collect(client.versions.list(this.args.id, { limit, includeDeleted }), limit);
    this.table(
      versions,
      [
        { heading: 'version', text: ({ version }) => version, align: 'right' },
        { heading: 'replaced', text: ({ replacedAt }) => replacedAt.slice(0, 19) },
        { heading: 'metadata', text: ({ metadata }) => JSON.stringify(metadata) },
        { heading: 'text', text: ({ content }) => content, most: TEXT_WIDTH },
      ],
      'no versions',
    );
    return { versions };
  }
}
