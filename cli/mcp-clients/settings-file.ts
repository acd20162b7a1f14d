import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Only the owner of a new file can read it, since it may contain a token. */
const OWNER_ONLY = 0o600;
const OWNER_FOLDER = 0o700;
const PERMISSIONS = 0o777;

/** Returns an empty text if there is no file. */
export async function readSettings(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Replaces a file at once, so that a client never reads half of it. Keeps its permissions, and a link to it. */
export async function writeSettings(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_FOLDER });
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (file) => file.mode & PERMISSIONS,
    () => OWNER_ONLY,
  );
  const draft = `${target}.new`;
  await writeFile(draft, text, { mode });
  await rename(draft, target);
}
