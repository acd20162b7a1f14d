import { readFile, rename, writeFile } from 'node:fs/promises';

/** The place in the change feed that a file remembers; undefined before the first one. */
export async function readCursor(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Takes the place of the earlier one in one step. */
export async function writeCursor(path: string, cursor: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, `${cursor}\n`);
  await rename(draft, path);
}
