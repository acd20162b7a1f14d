import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileIndex } from './index-reader.js';

/**
 * Minimum age of the last write of a file that is read early. A later write then changes the time of the file, which
 * systems count in steps of up to 10 ms.
 */
const SETTLED_MS = 50;

interface EarlyRead {
  path: string;
  version: string;
  file: FileIndex;
}

/**
 * Reads one file before its index is ordered: the file written last, whose organization was probably used last. At that
 * time the process has not locked the data folder, and another one may still write the file. So what was read counts
 * only if the file is unchanged after the lock.
 */
export class EarlyFile {
  readonly #readLast: (path: string) => FileIndex | undefined;
  #read: EarlyRead | undefined;

  /** @param readLast reads the last state of a file */
  constructor(readLast: (path: string) => FileIndex | undefined) {
    this.#readLast = readLast;
  }

  /** @param maxBytes maximum size of the file */
  read(folder: string, maxBytes: number): void {
    try {
      this.#read = this.#readNewest(folder, maxBytes);
    } catch {
      // The file may be replaced meanwhile. Its order reads it again, and meets any other fault.
    }
  }

  /** Returns what was read, once. Undefined for another file, or if the file has changed. Call it after the lock. */
  take(path: string): FileIndex | undefined {
    const read = this.#read;
    if (read?.path !== path) return undefined;
    this.#read = undefined;
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && versionOf(stat) === read.version ? read.file : undefined;
  }

  #readNewest(folder: string, maxBytes: number): EarlyRead | undefined {
    const newest = readdirSync(folder)
      .filter((name) => name.endsWith('.vectors'))
      .map((name) => join(folder, name))
      .map((path) => ({ path, stat: statSync(path, { bigint: true }) }))
      .sort((a, b) => Number(b.stat.mtimeNs - a.stat.mtimeNs))[0];
    if (!newest || newest.stat.size > maxBytes || Date.now() - Number(newest.stat.mtimeMs) < SETTLED_MS)
      return undefined;
    const { path } = newest;
    const version = versionOf(newest.stat);
    const file = this.#readLast(path);
    return file && { path, version, file };
  }
}

/** Returns a text that differs after every write or replacement of a file that has settled. */
function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
