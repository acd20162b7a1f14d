import type { WrittenMemory } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { readContent } from '../lib/flags/content-input.js';
import { parseMetadata } from '../lib/flags/key-values.js';
import { memoryFlags } from '../lib/flags/memory-flags.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { comingTimeFlag } from '../lib/flags/time-flag.js';

export default class Update extends BaseCommand<typeof Update> {
  static override description = 'change the content, metadata, subject or expiry of a memory';

  static override examples = [
    '<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11 --text "Deploys run on Thursdays."',
    '<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11 --metadata checked:=true',
    '<%= config.bin %> <%= command.id %> 0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11 --expires never',
  ];

  static override args = {
    id: Args.string({ description: 'id of the memory', required: true }),
  };

  static override flags = {
    ...memoryFlags,
    expires: comingTimeFlag('time at which the memory expires, or "never"'),
    'replace-metadata': Flags.boolean({
      dependsOn: ['metadata'],
      description: 'replace the metadata instead of merging',
    }),
    text: Flags.string({ char: 't', description: 'the new content; - reads standard input' }),
  };

  override async run(): Promise<WrittenMemory> {
    const { expires, file, metadata, subject, text } = this.flags;
    const isGiven = text !== undefined || file !== undefined;
    const content = isGiven ? await readContent({ argument: text, file, stdin: process.stdin }) : undefined;
    const client = await this.client();
    const written = await withSubjectKey(subject, (subjectKey) =>
      client.update(this.args.id, {
        content,
        expiresAt: expires === 'never' ? null : expires,
        metadata: parseMetadata(metadata),
        metadataReplace: this.flags['replace-metadata'] ? true : undefined,
        subjectKey,
      }),
    );
    this.log(`${written.outcome}  ${written.id}`);
    this.notePrinted([written]);
    return written;
  }
}
