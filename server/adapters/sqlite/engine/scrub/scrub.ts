import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '../../../../ports/store-errors.js';
import type { DatabaseThread } from '../threads/database-thread.js';
import type { Writer } from '../writer.js';
import type { SweepResult } from './sweep.js';

/**
 * `begin` copies the log, so that the first sweep has little to copy. `sweep` cleans the next pages. `sync` makes them
 * durable. `empty-log` truncates the log. `end` forgets the position of the sweep.
 */
export interface ScrubOrder {
  what: 'begin' | 'sweep' | 'sync' | 'empty-log' | 'end';
  /** Descriptor of the database. */
  file: number;
}

const RETRY_MS = 20;
/** Maximum number of attempts of a step while a reader or another program blocks it: some 20 s. */
const MAX_ATTEMPTS = 1_000;

/**
 * Removes from the files what was deleted from the tables. Afterwards the database has no unused bytes with old
 * content, and the log is empty. Writers take turns with its steps.
 *
 * @throws {StoreUnavailableError} if a reader does not end
 */
export async function scrubFiles(
  thread: DatabaseThread<ScrubOrder, SweepResult>,
  writer: Pick<Writer, 'between'>,
  file: number,
  pause: () => Promise<unknown> = () => setTimeout(RETRY_MS),
): Promise<void> {
  const ask = (what: ScrubOrder['what']) => thread.ask({ what, file });
  const step = (what: ScrubOrder['what']) => retryWhileBusy(() => writer.between(() => ask(what)), pause);
  try {
    await ask('begin');
    while ((await step('sweep')) === 'more') await ask('sync');
    await ask('sync');
    await step('empty-log');
  } finally {
    await ask('end');
  }
}

async function retryWhileBusy(step: () => Promise<SweepResult>, pause: () => Promise<unknown>): Promise<SweepResult> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const result = await step();
    if (result !== 'busy') return result;
    await pause();
  }
  throw new StoreUnavailableError('The files could not be cleaned: end the other program that reads the database');
}
