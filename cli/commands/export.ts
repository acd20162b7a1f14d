import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { exportRecords } from '@memory-service/sdk/archive';
import { PAGE_LIMIT } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { writeArchive } from '../lib/archive-file.js';
import { createdFlags, filterFlags, toFilter } from '../lib/flags/filter-flags.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { counted } from '../lib/output/counted.js';
import { printLine } from '../lib/output/print-line.js';
import { Progress } from '../lib/output/progress.js';

export default class Export extends BaseCommand<typeof Export> {
  static override description =
    'write all memories as lines of JSON, oldest first; an archive also contains deleted ones and versions';

  static override enableJsonFlag = false;

  static override examples = [
    '<%= config.bin %> <%= command.id %> everything.archive',
    '<%= config.bin %> <%= command.id %> --output memories.ndjson',
    '<%= config.bin %> <%= command.id %> --project platform | jq .content',
  ];

  static override args = {
    archive: Args.string({ description: 'archive to write; memory import verifies it and keeps ids and times' }),
  };

  static override flags = {
    ...filterFlags,
    ...createdFlags,
    output: Flags.string({ char: 'o', description: 'file to write instead of standard output' }),
  };

  override async run(): Promise<void> {
    const { output } = this.flags;
    if (this.args.archive !== undefined) return this.writeArchive(this.args.archive);
    if (output === undefined) {
      await this.writeTo(process.stdout);
      return;
    }
    // The file gets its name only when the export is complete.
    const draft = `${output}.part`;
    const file = createWriteStream(draft, { mode: 0o600 });
    try {
      const count = await this.writeTo(file);
      file.end();
      await finished(file);
      await rename(draft, output);
      this.logToStderr(`${counted(count, 'memory', 'memories')} in ${output}`);
    } catch (error) {
      file.destroy();
      await rm(draft, { force: true });
      throw error;
    }
  }

  private async writeArchive(path: string): Promise<void> {
    const client = await this.client();
    const { organization } = await client.session.get();
    const { counts, digest } = await withSubjectKey(this.flags.subject, async (subjectKey) => {
      const filter = toFilter(this.flags, subjectKey);
      const { total, filtered } = (await client.stats({ filter, includeDeleted: true })).meta;
      using progress = new Progress('records', filter ? filtered : total, process.stderr.isTTY === true);
      return writeArchive(path, shown(exportRecords(client, { filter }), progress), organization?.id);
    });
    const memories = counted(counts.memories, 'memory', 'memories');
    const versions = counted(counts.versions ?? 0, 'version', 'versions');
    this.logToStderr(`${memories}, ${counts.deleted} of them deleted, with ${versions}, in ${path}: ${digest}`);
  }

  private async writeTo(stream: NodeJS.WritableStream): Promise<number> {
    const client = await this.client();
    return withSubjectKey(this.flags.subject, async (subjectKey) => {
      const filter = toFilter(this.flags, subjectKey);
      const { total, filtered } = (await client.stats({ filter, includeDeleted: this.flags['include-deleted'] })).meta;
      using progress = new Progress('memories', filter ? filtered : total, this.isWatched(stream));
      let count = 0;
      const options = { filter, includeDeleted: this.flags['include-deleted'], limit: PAGE_LIMIT.maximum };
      for await (const memory of client.export(options)) {
        await printLine(stream, JSON.stringify(memory));
        progress.at(++count);
      }
      return count;
    });
  }

  /** Reports if a progress bar is useful: not if the lines themselves go to the terminal. */
  private isWatched(stream: NodeJS.WritableStream): boolean {
    return process.stderr.isTTY === true && !(stream === process.stdout && process.stdout.isTTY);
  }
}

async function* shown(records: AsyncIterable<string>, progress: Progress): AsyncGenerator<string> {
  let count = 0;
  for await (const record of records) {
    yield record;
    progress.at(++count);
  }
}
