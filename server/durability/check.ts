import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openSqliteStore } from '../adapters/sqlite/store.js';
import { NO_FILTER } from '../domain/filter/filter.js';
import { BATCH_SIZE, type Claims, contentOf, PERIOD, WORD } from './claims.js';
import type { Image } from './disk.js';

/** The faults of a database after a crash; two empty lists if there are none. */
export interface Findings {
  /** Acknowledged writes that are missing, or present only in an older version. */
  lost: string[];
  /** Contents that no sequence of whole units could have left. */
  corrupt: string[];
}

/** Writes an image into an empty folder. */
export function layDown(image: Image, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of image) writeFileSync(join(folder, name), bytes);
}

/** Databases that are remembered. Crashes that leave the same one are close to each other. */
const REMEMBERED = 32;

/**
 * Opens databases as after a restart, and compares them with the claims and with themselves. Most crashes leave the same
 * database as another one, because an unfinished unit is dropped. Each database is read once.
 */
export class Checks {
  readonly #recent: { bytes: Buffer; contents: Contents }[] = [];

  check(folder: string, claims: Claims): Findings {
    const path = join(folder, 'memory.db');
    let database: DatabaseSyncInstance | undefined;
    try {
      database = new DatabaseSync(path);
      copyLog(database);
      const contents = this.#contentsOf(database, readFileSync(path));
      return { lost: lost(contents, claims), corrupt: contents.corrupt };
    } catch (error) {
      return { lost: [], corrupt: [(error as Error).message] };
    } finally {
      database?.close();
    }
  }

  #contentsOf(database: DatabaseSyncInstance, bytes: Buffer): Contents {
    const known = this.#recent.find((each) => each.bytes.equals(bytes));
    if (known) return known.contents;
    const contents = contentsOf(database);
    this.#recent.unshift({ bytes, contents });
    this.#recent.splice(REMEMBERED);
    return contents;
  }
}

/** Opens the store itself, and finds the claimed memories by id and by a word. */
export async function checkThroughStore(folder: string, claims: Claims): Promise<Findings> {
  try {
    await using store = await openSqliteStore({ dataDir: folder });
    const [organizationId = ''] = await store.accounts.organizationIds();
    const missing: string[] = [];
    for (const [id, version] of claims.memories) {
      const stored = await store.memories.findById(organizationId, id);
      if (!(Number(stored?.metadata.version) >= version)) missing.push(`memory ${id} ${version}`);
    }
    const everyMemory = { filter: NO_FILTER, includeDeleted: true };
    const { total } = await store.memories.stats(organizationId, { ...everyMemory, facets: [], valuesPerFacet: 1 });
    const { matches: found } = await store.memories.matching(organizationId, {
      ...everyMemory,
      text: WORD,
      limit: 100_000,
    });
    const corrupt =
      found.length === total ? [] : [`${found.length} of ${total} memories are found by their common word`];
    return { lost: missing, corrupt };
  } catch (error) {
    return { lost: [], corrupt: [(error as Error).message] };
  }
}

/** The contents of a database as far as they are checked. */
interface Contents {
  organizations: ReadonlySet<unknown>;
  /** The version of each memory by id. */
  versions: ReadonlyMap<string, number>;
  corrupt: string[];
}

/** Recovers the log, and copies it into the file, whose bytes then are the whole database. */
function copyLog(database: DatabaseSyncInstance): void {
  database.exec('PRAGMA synchronous = OFF');
  const [isBusy] = column(database, 'PRAGMA wal_checkpoint(TRUNCATE)');
  if (isBusy !== 0) throw new Error('the log could not be copied into the database');
}

function contentsOf(database: DatabaseSyncInstance): Contents {
  const integrity = column(database, 'PRAGMA integrity_check')
    .map(String)
    .filter((line) => line !== 'ok');
  const hasTables = column(database, "SELECT name FROM sqlite_schema WHERE name = 'probes'").length > 0;
  if (!hasTables) return { organizations: new Set(), versions: new Map(), corrupt: integrity };
  const memories = memoriesOf(database);
  return {
    organizations: new Set(column(database, 'SELECT id FROM organizations')),
    versions: new Map(memories.map(({ id, version }) => [id, version])),
    corrupt: [...integrity, ...brokenRules(database), ...brokenMemories(memories)],
  };
}

interface StoredMemory {
  id: string;
  content: string;
  version: number;
  marked: number;
  deleted: number;
}

function memoriesOf(database: DatabaseSyncInstance): StoredMemory[] {
  const sql = `SELECT id, content, metadata ->> 'version' AS version,
    coalesce(metadata ->> 'deleted', 0) AS marked, deleted_at IS NOT NULL AS deleted FROM memories`;
  return database.prepare(sql).all() as StoredMemory[];
}

function lost({ organizations, versions }: Contents, claims: Claims): string[] {
  return [
    ...[...claims.organizations].filter((id) => !organizations.has(id)),
    ...Array.from(claims.memories)
      .filter(([id, version]) => (versions.get(id) ?? 0) < version)
      .map(([id, version]) => `memory ${id} ${version}`),
  ];
}

function brokenMemories(memories: readonly StoredMemory[]): string[] {
  return memories
    .filter(({ id, content, version, marked, deleted }) => content !== contentOf(id, version) || marked !== deleted)
    .map(({ id, version }) => `memory ${id} ${version} differs from what was written`);
}

/** Rules that are true after every unit of the writer, and so after any number of whole units. */
const RULES: Readonly<Record<string, string>> = {
  'audit events are numbered without gaps': `SELECT (SELECT count(*) = coalesce(max(key), 0) FROM audit_events)
    AND (SELECT count(*) = coalesce(max(key), 0) FROM audit_backlog)`,
  'every version has its audit event': `SELECT (SELECT count(*) FROM audit_events) + (SELECT count(*) FROM audit_backlog) =
    (SELECT coalesce(sum(metadata ->> 'version'), 0) FROM memories)`,
  'every memory is counted as ingested': `SELECT (SELECT coalesce(sum(ingest), 0) FROM usage WHERE period = '${PERIOD}') +
    (SELECT coalesce(sum(ingested), 0) FROM organizations WHERE ingest_period = '${PERIOD}') =
    (SELECT count(*) FROM memories)`,
  'organizations have the right counts': `SELECT (SELECT coalesce(sum(active), 0) FROM organizations) =
    (SELECT count(*) FROM memories WHERE deleted_at IS NULL)
    AND (SELECT coalesce(sum(deleted), 0) FROM organizations) =
    (SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL)`,
  'every memory has a vector': 'SELECT (SELECT count(*) FROM vectors) = (SELECT count(*) FROM memories)',
  'batches are complete': `SELECT NOT EXISTS (SELECT 1 FROM memories WHERE metadata ->> 'batch' IS NOT NULL
    GROUP BY metadata ->> 'batch' HAVING count(*) <> ${BATCH_SIZE})`,
};

function brokenRules(database: DatabaseSyncInstance): string[] {
  return Object.entries(RULES)
    .filter(([, sql]) => column(database, sql)[0] !== 1)
    .map(([rule]) => `rule broken: ${rule}`);
}

function column(database: DatabaseSyncInstance, sql: string): unknown[] {
  const rows = database.prepare(sql).all() as Record<string, unknown>[];
  return rows.flatMap((row) => Object.values(row));
}
