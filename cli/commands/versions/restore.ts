import type { WrittenMemory } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../base-command.js';

export default class VersionsRestore extends BaseCommand<typeof VersionsRestore> {
  static override description = 'restore the content, metadata and subject of a version';

  static override examples = ['<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11 3'];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
    version: Args.integer({ description: 'number of the version', min: 1, required: true }),
  };

  override async run(): Promise<WrittenMemory> {
    const client = await this.client();
    const written = await client.versions.restore(this.args.id, this.args.version);
    this.log(`${written.outcome}  ${written.id}`);
    return written;
  }
}
