import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BackupManifest, countRows, digestOf, MANIFEST_FILE, readManifest } from './backup-files.js';
import { type Checked, checkDataFolder } from './check.js';
import { Connection } from './engine/connection.js';
import { DATABASE_FILE } from './engine/database.js';

/**
 * Compares a backup with its manifest, then checks its database like that of a
 * data folder. Writes nothing.
 *
 * @param opensCanary reports if the key in the backup encrypted a canary. Undefined for a backup without a key
 */
export async function* verifyBackup(
  folder: string,
  opensCanary: ((canary: string) => boolean) | undefined,
): AsyncGenerator<Checked> {
  let manifest: BackupManifest;
  try {
    manifest = await readManifest(folder);
  } catch (error) {
    yield { what: MANIFEST_FILE, faults: [(error as Error).message] };
    return;
  }
  yield { what: MANIFEST_FILE, faults: unlisted(folder, manifest) };
  let isComplete = true;
  for (const [name, expected] of Object.entries(manifest.files)) {
    const faults = await fileFaults(join(folder, name), expected);
    if (faults.length > 0) isComplete = false;
    yield { what: name, faults };
  }
  if (!isComplete) return;
  yield { what: 'rows', faults: rowFaults(join(folder, DATABASE_FILE), manifest) };
  yield* checkDataFolder(folder, opensCanary, { acceptsEarlierSchema: true });
}

/** Returns the faults of the manifest's list of files, which must include the database. */
function unlisted(folder: string, { encryptionKey, files }: BackupManifest): string[] {
  const listed = Object.keys(files).length;
  const expected = encryptionKey === 'included' ? 2 : 1;
  const others = readdirSync(folder).filter((name) => name.startsWith(DATABASE_FILE) && !(name in files));
  return [
    ...(DATABASE_FILE in files && listed === expected ? [] : ['it does not list the files of a backup']),
    ...others.map((name) => `it does not list ${name}: something wrote to the backup`),
  ];
}

async function fileFaults(path: string, expected: { bytes: number; sha256: string }): Promise<string[]> {
  try {
    const { bytes, sha256 } = await digestOf(path);
    if (bytes !== expected.bytes) return [`has ${bytes} bytes instead of ${expected.bytes}`];
    return sha256 === expected.sha256 ? [] : ['has different content than the backup had'];
  } catch (error) {
    return [`cannot be read: ${(error as Error).message}`];
  }
}

function rowFaults(path: string, { counts }: BackupManifest): string[] {
  const connection = new Connection(path, { readOnly: true });
  try {
    const found = countRows(connection);
    const tables = [...new Set([...Object.keys(counts), ...Object.keys(found)])];
    return tables
      .filter((table) => counts[table] !== found[table])
      .map((table) => `table ${table} has ${found[table] ?? 'no'} rows instead of ${counts[table] ?? 'none'}`);
  } catch (error) {
    return [`cannot be counted: ${(error as Error).message}`];
  } finally {
    connection.close();
  }
}
