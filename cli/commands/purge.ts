import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';

export default class Purge extends BaseCommand<typeof Purge> {
  static override description = 'purge a soft-deleted memory; it cannot be restored';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11 --yes'];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
  };

  static override flags = {
    yes: Flags.boolean({ description: 'confirm that the memory cannot be restored', required: true }),
  };

  override async run(): Promise<{ id: string; purged: true }> {
    const client = await this.client();
    await client.purge(this.args.id);
    this.log(`purged  ${this.args.id}`);
    return { id: this.args.id, purged: true };
  }
}
