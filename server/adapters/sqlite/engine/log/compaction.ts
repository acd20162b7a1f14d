import { StoreUnavailableError } from '../../../../ports/store.js';
import type { DatabaseThread } from '../database-thread.js';

/** `rebuild` writes the database anew, without its free space. `empty-log` returns false while a reader keeps the log. */
export type CompactionOrder = 'rebuild' | 'empty-log';

/**
 * Removes from the files what was deleted from the tables: the database has no free space with old content afterwards,
 * and the log is empty. Called while no transaction is open.
 *
 * @throws {StoreUnavailableError} when the disk has no room for a second copy, or a reader does not end
 */
export async function compact(thread: DatabaseThread<CompactionOrder, boolean>): Promise<void> {
  await thread.ask('rebuild');
  if (await thread.ask('empty-log')) return;
  throw new StoreUnavailableError('The log could not be emptied: another program reads the database');
}
