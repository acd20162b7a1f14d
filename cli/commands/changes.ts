import { setTimeout as wait } from 'node:timers/promises';
import type { ChangesPage, MemoryClient } from '@memory-service/sdk';
import { PAGE_LIMIT } from '@memory-service/sdk/constants';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../base-command.js';
import { readCursor, writeCursor } from '../lib/connection/cursor-file.js';
import { filterFlags, toFilter } from '../lib/flags/filter-flags.js';
import { withSubjectKey } from '../lib/flags/subject-key.js';
import { timeFlag } from '../lib/flags/time-flag.js';
import { Interrupt } from '../lib/interrupt.js';
import { printLine, written } from '../lib/output/print-line.js';

export default class Changes extends BaseCommand<typeof Changes> {
  static override description = 'write the changes since a time as lines of JSON, oldest first';

  static override enableJsonFlag = false;

  static override examples = [
    '<%= config.bin %> <%= command.id %> --since 2d --include-deleted',
    '<%= config.bin %> <%= command.id %> --follow --cursor-file feed.cursor',
  ];

  static override flags = {
    ...filterFlags,
    'cursor-file': Flags.string({ description: 'file that stores the position in the feed between runs' }),
    follow: Flags.boolean({ description: 'wait for further changes until Ctrl-C' }),
    interval: Flags.integer({ default: 2, description: 'seconds between two requests, with --follow', min: 1 }),
    since: timeFlag('earliest change; default: the first one'),
  };

  override async run(): Promise<void> {
    const client = await this.client();
    using interrupt = new Interrupt();
    await withSubjectKey(this.flags.subject, (subjectKey) => this.write(client, subjectKey, interrupt.signal));
  }

  private async write(
    client: MemoryClient,
    subjectKey: string | number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const file = this.flags['cursor-file'];
    const { since = new Date(0).toISOString(), ...selected } = this.flags;
    const filter = toFilter(selected, subjectKey);
    let cursor = file === undefined ? undefined : await readCursor(file);
    while (!signal.aborted) {
      const options = {
        cursor,
        filter,
        includeDeleted: this.flags['include-deleted'],
        limit: PAGE_LIMIT.maximum,
        since,
      };
      const page = await client.changes(options);
      await this.print(page);
      // Saved after the lines are written: after an interruption they are written twice rather than never.
      if (file !== undefined && page.nextCursor !== undefined && page.nextCursor !== cursor) {
        await writeCursor(file, page.nextCursor);
      }
      cursor = page.nextCursor;
      if (page.meta.hasMore) continue;
      if (!this.flags.follow) return;
      await pause(this.flags.interval * 1_000, signal);
    }
  }

  private async print({ changes }: ChangesPage): Promise<void> {
    for (const change of changes) await printLine(process.stdout, JSON.stringify(change));
    await written(process.stdout);
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
