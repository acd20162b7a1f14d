import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** An index file as it was at some time, possibly of another database. */
export interface KeptFile {
  name: string;
  bytes: Buffer;
}

/** Returns the index files in a data folder. */
export function indexFiles(dataDir: string): KeptFile[] {
  const folder = join(dataDir, 'indexes');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

export function putFiles(dataDir: string, files: readonly KeptFile[]): void {
  const folder = join(dataDir, 'indexes');
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of files) {
    rmSync(join(folder, name), { recursive: true, force: true });
    writeFileSync(join(folder, name), bytes);
  }
}

/** Copies the files that a power cut or a kill would leave. A draft that is being renamed may be missing. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(join(to, 'indexes'), { recursive: true });
  for (const folder of ['.', 'indexes']) {
    if (!existsSync(join(from, folder))) continue;
    for (const entry of readdirSync(join(from, folder), { withFileTypes: true })) {
      if (entry.isFile()) copyIfThere(join(from, folder, entry.name), join(to, folder, entry.name));
    }
  }
}

function copyIfThere(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
