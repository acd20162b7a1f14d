import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export interface Failure {
  /** The line or file. */
  at: string;
  code?: string;
  message: string;
}

/** The progress of an import. */
export interface ImportState {
  /** Number of processed entries, stored or rejected. */
  done: number;
  /** Digest of those entries. A different one means that the file has changed. */
  digest: string;
  outcomes: Record<string, number>;
  failures: Failure[];
}

/** Returns the path of the state of an import of `path` into this organization. */
export function statePath(folder: string, into: readonly (string | undefined)[], path: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([...into, resolve(path)]))
    .digest('hex')
    .slice(0, 32);
  return join(folder, 'imports', `${name}.json`);
}

/** Returns undefined if there is nothing to resume. */
export async function readState(path: string): Promise<ImportState | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ImportState;
  } catch (error) {
    // A damaged file is ignored, since an import from the start stores nothing twice.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeState(path: string, state: ImportState): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new`;
  await writeFile(draft, JSON.stringify(state), { mode: 0o600 });
  await rename(draft, path);
}

export async function removeState(path: string): Promise<void> {
  await rm(path, { force: true });
}
