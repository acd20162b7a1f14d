import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the index files in a data folder. */
export const INDEX_FOLDER = 'indexes';

/** Reports if any organization has an index file. */
export function hasIndexFiles(dataDir: string): boolean {
  const folder = join(dataDir, INDEX_FOLDER);
  return existsSync(folder) && readdirSync(folder).length > 0;
}
