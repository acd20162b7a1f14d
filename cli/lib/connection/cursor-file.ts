import { readFile, rename, writeFile } from 'node:fs/promises';

/** Reads the saved cursor of a change feed. Returns undefined if there is none yet. */
export async function readCursor(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the saved cursor atomically. */
export async function writeCursor(path: string, cursor: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, `${cursor}\n`);
  await rename(draft, path);
}
