import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '../../../../ports/store.js';
import type { DatabaseThread } from '../database-thread.js';
import type { Writer } from '../writer.js';
import type { SweepResult } from './sweep.js';

/**
 * `begin` copies the log, so that the first sweep has little of it to copy; `sweep` cleans the next pages; `sync`
 * makes the disk have that; `empty-log` cuts the log; `end` forgets how far the sweep was.
 */
export interface ScrubOrder {
  what: 'begin' | 'sweep' | 'sync' | 'empty-log' | 'end';
  /** Descriptor of the database. */
  file: number;
}

const RETRY_MS = 20;
/** How often a step is tried while a reader or another program is in the way: some 20 s. */
const MOST_TRIES = 1_000;

/**
 * Removes from the files what was deleted from the tables: the database has no unused bytes with old content
 * afterwards, and the log is empty. Writers take turns with its steps.
 *
 * @throws {StoreUnavailableError} when a reader does not end
 */
export async function scrubFiles(
  thread: DatabaseThread<ScrubOrder, SweepResult>,
  writer: Pick<Writer, 'between'>,
  file: number,
  pause: () => Promise<unknown> = () => setTimeout(RETRY_MS),
): Promise<void> {
  const ask = (what: ScrubOrder['what']) => thread.ask({ what, file });
  const step = (what: ScrubOrder['what']) => unhindered(() => writer.between(() => ask(what)), pause);
  try {
    await ask('begin');
    while ((await step('sweep')) === 'more') await ask('sync');
    await ask('sync');
    await step('empty-log');
  } finally {
    await ask('end');
  }
}

/** What a step returned once nothing was in its way. */
async function unhindered(step: () => Promise<SweepResult>, pause: () => Promise<unknown>): Promise<SweepResult> {
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const result = await step();
    if (result !== 'busy') return result;
    await pause();
  }
  throw new StoreUnavailableError('The files could not be cleaned: another program reads the database');
}
