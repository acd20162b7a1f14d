import type { MemoryClient } from '@memory-service/sdk';
import { BATCH_ITEMS } from '@memory-service/sdk/constants';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { EXIT } from '../exit-codes.js';
import { FORMATS } from '../lib/import/foreign.js';
import { importEntries, isSameStart } from '../lib/import/import-entries.js';
import { senderOf } from '../lib/import/sender.js';
import { openSource, type Source } from '../lib/import/source.js';
import { type Failure, type ImportState, readState, removeState, statePath, writeState } from '../lib/import/state.js';
import { TextFiles } from '../lib/import/text-files.js';
import { Interrupt } from '../lib/interrupt.js';
import { counted } from '../lib/output/counted.js';
import { Progress } from '../lib/output/progress.js';

interface Imported {
  /** True if every entry was processed. */
  complete: boolean;
  done: number;
  outcomes: Record<string, number>;
  failures: Failure[];
}

const SHOWN_FAILURES = 20;

export default class Import extends BaseCommand<typeof Import> {
  static override description =
    'store many memories: an archive, lines of JSON, a text file, or a folder of Markdown and text files; run again to resume';

  static override examples = [
    '<%= config.bin %> <%= command.id %> memories.ndjson',
    '<%= config.bin %> <%= command.id %> docs/ --source handbook',
    '<%= config.bin %> <%= command.id %> get_all.json --format mem0',
  ];

  static override args = {
    path: Args.string({ description: 'file or folder', required: true }),
  };

  static override flags = {
    'batch-size': Flags.integer({ default: BATCH_ITEMS, description: 'memories per request', max: 1_000, min: 1 }),
    format: Flags.option({ description: 'the other memory store that wrote the file', options: FORMATS })(),
    restart: Flags.boolean({ description: 'start from the beginning; stored memories are not duplicated' }),
    source: Flags.string({ default: 'import', description: 'source in the scope of the keys of text files' }),
  };

  override async run(): Promise<Imported> {
    const source = await openSource(this.args.path, this.flags.source, this.flags.format);
    const { baseUrl, organizationId } = await this.connection();
    const path = statePath(this.config.configDir, [baseUrl, organizationId, this.flags.source], this.args.path);
    const earlier = this.flags.restart ? undefined : await this.earlier(path, source);
    const client = await this.client();
    using interrupt = new Interrupt();
    const state = await this.store(source, earlier, path, client, interrupt.signal);
    const complete = !interrupt.signal.aborted;
    if (complete) await removeState(path);
    return this.report(state, complete);
  }

  private async earlier(path: string, source: Source): Promise<ImportState | undefined> {
    const state = await readState(path);
    if (!state || state.done === 0) return undefined;
    if (await isSameStart(source.entries(), state)) {
      this.logToStderr(`resuming after ${state.done} entries of an earlier run`);
      return state;
    }
    this.logToStderr('the entries of an earlier run have changed: starting from the beginning');
    return undefined;
  }

  private async store(
    source: Source,
    earlier: ImportState | undefined,
    path: string,
    client: MemoryClient,
    signal: AbortSignal,
  ): Promise<ImportState> {
    using progress = new Progress('entries', source.total, process.stderr.isTTY && !this.jsonEnabled());
    const note = (text: string) => progress.above(() => this.logToStderr(text));
    return await importEntries(source.entries(), {
      batchSize: this.flags['batch-size'],
      sender: senderOf(client, source.keepsIds ?? false, () =>
        note('the token lacks memory:admin: times of creation are not kept'),
      ),
      files: new TextFiles(client, () =>
        note('the token lacks memory:search or memory:admin: long files are not split into chunks'),
      ),
      earlier,
      onState: async (reached) => {
        await writeState(path, reached);
        progress.at(reached.done);
      },
      onWait: (seconds) => note(`the rate limit is used up: retrying in ${seconds} s`),
      signal,
    });
  }

  private report({ done, outcomes, failures }: ImportState, complete: boolean): Imported {
    if (!complete) process.exitCode = EXIT.interrupted;
    else if (failures.length > 0) process.exitCode = EXIT.failed;
    const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
    this.log([counted(done, 'entry', 'entries'), ...counts, `${failures.length} failed`].join(', '));
    for (const { at, message } of failures.slice(0, SHOWN_FAILURES)) this.logToStderr(`${at}: ${message}`);
    const more = failures.length - SHOWN_FAILURES;
    if (more > 0) this.logToStderr(`and ${more} more: --json lists them all`);
    if (!complete) this.logToStderr('stopped: run the same command to resume');
    return { complete, done, outcomes, failures };
  }
}
