import type { Memory } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { formatMemory } from '../lib/output/print-memories.js';

export default class Get extends BaseCommand<typeof Get> {
  static override description = 'show one memory';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11'];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
  };

  static override flags = {
    'include-deleted': Flags.boolean({ description: 'show it even if it is soft-deleted' }),
  };

  override async run(): Promise<Memory> {
    const client = await this.client();
    const memory = await client.get(this.args.id, { includeDeleted: this.flags['include-deleted'] });
    this.log(formatMemory(memory));
    return memory;
  }
}
