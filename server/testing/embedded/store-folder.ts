import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '../../adapters/sqlite/engine/connection.js';
import { DATABASE_FILE } from '../../adapters/sqlite/engine/database.js';
import { migrate } from '../../adapters/sqlite/engine/migrate.js';
import { makeQuickFolder, quickFolder } from '../processes/quick-folder.js';

/** The bytes of an empty store's database. */
let empty: Buffer | undefined;

/**
 * Returns the data folder of an empty store, which is removed when the test ends. Its database is a copy, because all
 * migrations take longer than most tests.
 */
export function emptyStoreFolder(): string {
  empty ??= emptyDatabase();
  const folder = quickFolder();
  writeFileSync(join(folder, DATABASE_FILE), empty);
  return folder;
}

function emptyDatabase(): Buffer {
  const folder = makeQuickFolder();
  const path = join(folder, DATABASE_FILE);
  try {
    const connection = new Connection(path);
    connection.exec('PRAGMA journal_mode = WAL');
    migrate(connection);
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
