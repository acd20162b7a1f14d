import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plainHash } from '../../domain/memory/distinct.js';
import { hashContent } from '../../domain/text/content.js';
import { StoreOpenError, StoreUnavailableError } from '../../ports/store-errors.js';
import { readCanary } from './engine/canary-row.js';
import { Connection } from './engine/connection.js';
import { DATABASE_FILE } from './engine/database.js';
import { FolderIdentity } from './engine/folder/folder-identity.js';
import { isNamed, SCHEMA_VERSION, schemaVersion } from './engine/migrate.js';
import { pageFault, tablesOf } from './engine/page-check.js';
import { IndexFileReader } from './vector-index/file/index-file.js';
import { IndexFileError } from './vector-index/file/index-file-parts.js';
import { INDEX_FOLDER } from './vector-index/file/index-folder.js';

/** The result of one step of a check. */
export interface Checked {
  what: string;
  /** Empty if the step found no fault. */
  faults: readonly string[];
}

const MAX_FAULTS = 20;
/** Maximum number of memories read with one statement. */
const MAX_MEMORIES_READ = 500;
const FLOAT_BYTES = 4;

/**
 * Reads everything in a data folder and checks that it is consistent. Writes
 * nothing. A service may use the folder meanwhile.
 *
 * @param opensCanary reports if the configured keys encrypted a canary. If undefined, keys are not checked
 * @param acceptsEarlierSchema if true, a database of an earlier release is accepted, and only its pages are checked
 */
export async function* checkDataFolder(
  dataDir: string,
  opensCanary: ((canary: string) => boolean) | undefined,
  { acceptsEarlierSchema = false } = {},
): AsyncGenerator<Checked> {
  const path = join(dataDir, DATABASE_FILE);
  let connection: Connection;
  const identity = new FolderIdentity(dataDir, path);
  try {
    identity.requireDatabase();
    connection = open(path);
  } catch (error) {
    yield { what: 'database', faults: [explain(error)] };
    return;
  }
  try {
    let isEarlier = false;
    const schema = await step('schema', () => {
      const version = schemaVersion(connection);
      isEarlier = acceptsEarlierSchema && version > 0 && version < SCHEMA_VERSION;
      return isEarlier ? [] : schemaFaults(version);
    });
    yield schema;
    yield step('pages and indexes', () => integrity(connection));
    if (isEarlier || schema.faults.length > 0) return;
    yield step('references', () => references(connection));
    yield step('identity of the folder', () => [identity.difference(connection) ?? []].flat());
    if (opensCanary) yield step('encryption keys', () => keyFaults(readCanary(connection), opensCanary));
    yield step('contents', () => contents(connection));
    for (const [what, sql] of Object.entries(RULES)) {
      yield step(what, () => connection.all<{ fault: string }>(`${sql} LIMIT ${MAX_FAULTS}`).map(({ fault }) => fault));
    }
    yield step('index files', () => indexFiles(connection, join(dataDir, INDEX_FOLDER)));
  } finally {
    connection.close();
  }
}

/** Statements that select violations of a rule. Each is one statement, so that it reads one state of a database in use. */
const RULES: Readonly<Record<string, string>> = {
  vectors: `SELECT 'memory ' || m.id || ' has no vector of its embedder' AS fault FROM memories m
    JOIN organizations o ON o.key = m.org
    LEFT JOIN vectors v ON v.seq = m.seq * o.vector_side LEFT JOIN fingerprints f ON f.key = v.fingerprint
    WHERE v.org IS NOT m.org OR f.dimensions IS NULL OR length(v.embedding) <> f.dimensions * ${FLOAT_BYTES}
    UNION ALL SELECT 'vector ' || seq || ' belongs to no memory' FROM vectors
    WHERE abs(seq) NOT IN (SELECT seq FROM memories)`,
  counts: `SELECT 'organization ' || o.id || ' has wrong counts of memories or words' AS fault FROM current_organizations o
    LEFT JOIN (SELECT org, sum(deleted_at IS NULL) AS active, sum(deleted_at IS NOT NULL) AS deleted, sum(words) AS words
      FROM memories GROUP BY org) m ON m.org = o.key
    WHERE (o.active, o.deleted, o.words) IS NOT (ifnull(m.active, 0), ifnull(m.deleted, 0), ifnull(m.words, 0))`,
  clocks: `SELECT 'organization ' || o.id || ' has memories that are later than its clock' AS fault FROM organizations o
    WHERE o.clock < (SELECT max(m.updated_at) FROM memories m WHERE m.org = o.key)`,
};

function open(path: string): Connection {
  const connection = new Connection(path, { readOnly: true });
  connection.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY');
  return connection;
}

async function step(what: string, find: () => readonly string[] | Promise<readonly string[]>): Promise<Checked> {
  try {
    return { what, faults: await find() };
  } catch (error) {
    return { what, faults: [explain(error)] };
  }
}

function explain(error: unknown): string {
  if (error instanceof StoreOpenError) return error.message;
  const cause = error instanceof StoreUnavailableError ? (error.cause ?? error) : error;
  return cause instanceof Error ? `cannot be read: ${cause.message}` : String(cause);
}

function schemaFaults(version: number): string[] {
  if (version === SCHEMA_VERSION) return [];
  const remedy = version > SCHEMA_VERSION ? 'check it with that release' : 'start this release once, which migrates it';
  const by =
    version > SCHEMA_VERSION ? 'a newer release' : isNamed(version) || version > 0 ? 'an earlier release' : 'nobody';
  return [`the database was written by ${by} (schema ${version}, here ${SCHEMA_VERSION}): ${remedy}`];
}

function integrity(connection: Connection): string[] {
  try {
    return connection
      .all<{ integrity_check: string }>(`PRAGMA integrity_check(${MAX_FAULTS})`)
      .flatMap((row) => row.integrity_check.split('\n'))
      .filter((line) => line !== 'ok' && !line.startsWith('***'));
  } catch (error) {
    // The check of the whole database stops at damage of the keyword index, without saying where.
    return [explain(error), ...faultsByTable(connection)];
  }
}

function faultsByTable(connection: Connection): string[] {
  return tablesOf(connection).flatMap((name) => {
    const fault = pageFault(connection, name);
    return fault === undefined ? [] : [`table ${name}: ${fault}`];
  });
}

function references(connection: Connection): string[] {
  return connection
    .all<{ table: string; rowid: number | null; parent: string }>('PRAGMA foreign_key_check')
    .slice(0, MAX_FAULTS)
    .map(({ table, rowid, parent }) => `row ${rowid ?? ''} of ${table} refers to no row of ${parent}`);
}

function keyFaults(canary: string | undefined, opensCanary: (canary: string) => boolean): string[] {
  // A database of an earlier release has no canary. The next start writes one.
  if (canary === undefined || opensCanary(canary)) return [];
  return ['none of the configured keys belongs to this store: put back the former key'];
}

interface ContentRow {
  seq: number;
  id: string;
  content: string;
  content_hash: string;
  metadata: string;
}

/** Compares contents with their hashes and parses metadata, which detects changes that no other step detects. */
function contents(connection: Connection): string[] {
  const sql = `SELECT seq, id, content, content_hash, metadata FROM memories WHERE seq > ? ORDER BY seq LIMIT ${MAX_MEMORIES_READ}`;
  const faults: string[] = [];
  let rows = connection.all<ContentRow>(sql, 0);
  while (rows.length > 0 && faults.length < MAX_FAULTS) {
    for (const { id, content, content_hash, metadata } of rows) {
      if (hashContent(content) !== plainHash(content_hash))
        faults.push(`memory ${id} has content that does not match its hash`);
      if (!isObject(metadata)) faults.push(`memory ${id} has metadata that cannot be read`);
    }
    rows = connection.all<ContentRow>(sql, rows.at(-1)?.seq ?? 0);
  }
  return faults;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** A file of another state of the database is not a fault, since it is not used. */
async function indexFiles(connection: Connection, folder: string): Promise<string[]> {
  const faults: string[] = [];
  for (const name of await namesIn(folder)) {
    const fault = indexFileFault(connection, join(folder, name));
    if (fault !== undefined) faults.push(`${join(folder, name)}: ${fault}. Remove it: the next start rebuilds it`);
  }
  return faults;
}

/** Keeps nothing of what is read. */
class SkippedRows {
  readonly #dimensions: number;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  roomFor(rows: number): Int8Array[] {
    return [new Int8Array(rows * this.#dimensions)];
  }

  load(): void {}

  remove(): void {}
}

function indexFileFault(connection: Connection, path: string): string | undefined {
  try {
    using file = IndexFileReader.open(path);
    if (!file) return undefined;
    const sql = 'SELECT o.clock, f.token FROM organizations o JOIN index_files f ON f.org = o.key WHERE o.id = ?';
    const known = connection.get<{ clock: number; token: string }>(sql, file.header.organizationId);
    // Reading a part compares it with its checksum. Behind the valid state, a crash may have left an incomplete one.
    const read = file.readTo(known?.token, new SkippedRows(file.header.dimensions));
    return known && read && known.clock < read.state.clock ? 'the file is ahead of the database' : undefined;
  } catch (error) {
    if (error instanceof IndexFileError) return error.message;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.vectors'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
