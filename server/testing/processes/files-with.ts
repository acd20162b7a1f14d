import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Codes of a file that was removed since its folder was read, and of a folder. */
const NO_FILE: readonly unknown[] = ['ENOENT', 'EISDIR'];

/** Returns the files of a data folder that contain a text. A running server may remove files meanwhile. */
export async function filesWith(dataDir: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(dataDir, { recursive: true })) {
    const content = await readFile(join(dataDir, name)).catch((error: NodeJS.ErrnoException) => {
      if (!NO_FILE.includes(error.code)) throw error;
      return undefined;
    });
    if (content?.includes(text)) found.push(name);
  }
  return found;
}
