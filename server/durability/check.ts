import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openSqliteStore } from '../adapters/sqlite/store.js';
import { NO_FILTER } from '../domain/memory/filter.js';
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

/** Opens the database as after a restart, and compares it with the claims and with itself. */
export function check(folder: string, claims: Claims): Findings {
  let database: DatabaseSyncInstance | undefined;
  try {
    database = new DatabaseSync(join(folder, 'memory.db'));
    const integrity = column(database, 'PRAGMA integrity_check')
      .map(String)
      .filter((line) => line !== 'ok');
    const hasTables = column(database, "SELECT name FROM sqlite_schema WHERE name = 'probes'").length > 0;
    if (!hasTables) return { lost: everything(claims), corrupt: integrity };
    const memories = memoriesOf(database);
    return {
      lost: lost(database, memories, claims),
      corrupt: [...integrity, ...brokenRules(database), ...brokenMemories(memories)],
    };
  } catch (error) {
    return { lost: [], corrupt: [(error as Error).message] };
  } finally {
    database?.close();
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

interface StoredMemory {
  id: string;
  content: string;
  version: number;
  marked: number;
  deleted: number;
}

function memoriesOf(database: DatabaseSyncInstance): Map<string, StoredMemory> {
  const sql = `SELECT id, content, metadata ->> 'version' AS version,
    coalesce(metadata ->> 'deleted', 0) AS marked, deleted_at IS NOT NULL AS deleted FROM memories`;
  const rows = database.prepare(sql).all() as StoredMemory[];
  return new Map(rows.map((row) => [row.id, row]));
}

function everything({ organizations, memories }: Claims): string[] {
  return [...organizations, ...memories.keys()];
}

function lost(database: DatabaseSyncInstance, memories: ReadonlyMap<string, StoredMemory>, claims: Claims): string[] {
  const organizations = new Set(column(database, 'SELECT id FROM organizations'));
  return [
    ...[...claims.organizations].filter((id) => !organizations.has(id)),
    ...Array.from(claims.memories)
      .filter(([id, version]) => (memories.get(id)?.version ?? 0) < version)
      .map(([id, version]) => `memory ${id} ${version}`),
  ];
}

function brokenMemories(memories: ReadonlyMap<string, StoredMemory>): string[] {
  return [...memories.values()]
    .filter(({ id, content, version, marked, deleted }) => content !== contentOf(id, version) || marked !== deleted)
    .map(({ id, version }) => `memory ${id} ${version} differs from what was written`);
}

/** Rules that are true after every unit of the writer, and so after any number of whole units. */
const RULES: Readonly<Record<string, string>> = {
  'audit events are numbered without gaps': 'SELECT count(*) = coalesce(max(key), 0) FROM audit_events',
  'every version has its audit event': `SELECT (SELECT count(*) FROM audit_events) =
    (SELECT coalesce(sum(metadata ->> 'version'), 0) FROM memories)`,
  'every memory is counted as ingested': `SELECT (SELECT coalesce(sum(ingest), 0) FROM usage WHERE period = '${PERIOD}') =
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
