import type { Memory } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../base-command.js';

export default class Restore extends BaseCommand<typeof Restore> {
  static override description = 'restore a soft-deleted memory';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11'];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
  };

  override async run(): Promise<Memory> {
    const client = await this.client();
    const memory = await client.restore(this.args.id);
    this.log(`restored  ${memory.id}`);
    return memory;
  }
}
