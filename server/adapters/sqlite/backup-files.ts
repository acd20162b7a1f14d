import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreOpenError } from '../../ports/store-errors.js';
import type { Connection } from './engine/connection.js';
import { tablesOf } from './engine/page-check.js';

export const MANIFEST_FILE = 'backup.json';

const FORMAT = 1;

/** The description of a backup in `backup.json`. The file is written last: a folder without it is not a backup. */
export interface BackupManifest {
  format: typeof FORMAT;
  /** Version of the package that made the backup. */
  release: string;
  /** Schema version of the database. */
  schema: number;
  takenAt: string;
  encryptionKey: 'included' | 'absent';
  /** Number of rows of each table. */
  counts: Readonly<Record<string, number>>;
  /** Every other file of the backup. */
  files: Readonly<Record<string, FileDigest>>;
}

export interface FileDigest {
  bytes: number;
  /** Digest of the content in hexadecimal digits. */
  sha256: string;
}

/** @throws {StoreOpenError} if the folder has no manifest, or one that this release cannot read */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST_FILE);
  let manifest: Partial<BackupManifest> | null;
  try {
    manifest = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new StoreOpenError(
      isMissing ? `${folder} is not a backup: it has no ${MANIFEST_FILE}` : `${path} cannot be read`,
      { cause: error },
    );
  }
  if (manifest?.format !== FORMAT) throw new StoreOpenError(`${path} has a format that this release does not know`);
  const { counts, files, schema } = manifest;
  if (!isRecord(counts) || !isRecord(files) || typeof schema !== 'number') {
    throw new StoreOpenError(`${path} is incomplete`);
  }
  return manifest as BackupManifest;
}

/** Writes the file that makes a folder a backup. A power loss leaves the complete file or none. */
export function writeManifest(folder: string, manifest: Omit<BackupManifest, 'format'>): void {
  const text = `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;
  writeDurably(join(folder, MANIFEST_FILE), text);
}

/** Writes a file that only its owner may read. A power loss leaves the complete file or none. */
export function writeDurably(path: string, content: string | Buffer): void {
  const draft = `${path}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  flush(draft);
  renameSync(draft, path);
  flush(dirname(path));
}

/** Returns when a file, or the names in a folder, are durable. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export async function digestOf(path: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}

export function countRows(connection: Connection): Record<string, number> {
  const counts = tablesOf(connection)
    .sort()
    .map((table) => {
      const sql = `SELECT count(*) AS rows FROM "${table.replaceAll('"', '""')}"`;
      return [table, connection.get<{ rows: number }>(sql)?.rows ?? 0];
    });
  return Object.fromEntries(counts);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
