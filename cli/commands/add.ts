import type { WrittenMemory } from '@memory-service/sdk';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { readContent } from '../lib/flags/content-input.js';
import { parseMetadata } from '../lib/flags/key-values.js';
import { memoryFlags } from '../lib/flags/memory-flags.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';

export default class Add extends BaseCommand<typeof Add> {
  static override hiddenAliases = ['ingest'];

  static override description = 'store a memory; with --key, create or update the one with that key';

  static override examples = [
    '<%= config.bin %> <%= command.id %> "Deploys run on Fridays at noon." --metadata kind=note',
    '<%= config.bin %> <%= command.id %> --file deploys.md --key wiki/deploys --source wiki',
    '<%= config.bin %> <%= command.id %> "The office is closed this week." --expires 7d',
    '<%= config.bin %> <%= command.id %> --file licence.txt --key b/licence.txt --no-dedupe',
    'git log -1 | <%= config.bin %> <%= command.id %> --subject ana',
  ];

  static override args = {
    text: Args.string({ description: 'the content; - or nothing reads standard input' }),
  };

  static override flags = {
    ...memoryFlags,
    dedupe: Flags.boolean({
      allowNo: true,
      description: 'merge with a memory of the same content; --no-dedupe stores another one',
    }),
    key: Flags.string({ char: 'k', description: 'external key: your own id of the memory' }),
    project: Flags.string({ dependsOn: ['key'], description: 'project in the scope of the key' }),
    'restore-deleted': Flags.boolean({
      dependsOn: ['key'],
      description: 'restore and update a deleted memory with the key',
    }),
    source: Flags.string({ dependsOn: ['key'], description: 'source in the scope of the key' }),
  };

  override async run(): Promise<WrittenMemory> {
    const { expires: expiresAt, file, key, metadata, project, source, subject } = this.flags;
    const content = await readContent({ argument: this.args.text, file, stdin: process.stdin });
    if (content === undefined) throw this.usage('pass the content as an argument, with --file or on standard input');
    const memory = { content, expiresAt, metadata: parseMetadata(metadata), dedupe: dedupeOf(this.flags.dedupe) };
    const restoreDeleted = this.flags['restore-deleted'];
    const client = await this.client();
    const written = await withSubjectKey(subject, (subjectKey) =>
      key === undefined
        ? client.ingest({ ...memory, subjectKey })
        : client.upsert({ ...memory, subjectKey, externalKey: key, scope: { source, project }, restoreDeleted }),
    );
    this.log(`${written.outcome}  ${written.id}`);
    this.notePrinted([written]);
    return written;
  }
}

/** An absent flag leaves the choice to the service. */
function dedupeOf(flag: boolean | undefined): 'on' | 'off' | undefined {
  if (flag === undefined) return undefined;
  return flag ? 'on' : 'off';
}
