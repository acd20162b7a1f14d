import { Args } from '@oclif/core';
import { BaseCommand } from '../base-command.js';

export default class Remove extends BaseCommand<typeof Remove> {
  static override description = 'soft-delete a memory';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11'];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
  };

  override async run(): Promise<{ id: string; deleted: true }> {
    const client = await this.client();
    await client.delete(this.args.id);
    this.log(`deleted  ${this.args.id}`);
    return { id: this.args.id, deleted: true };
  }
}
