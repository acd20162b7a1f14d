import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import { parseSubjectText } from '../../../domain/memory/memory-facets.js';
import type { MemoryVersion } from '../../../domain/memory/version.js';
import type { PageQuery } from '../../../domain/page.js';
import type { VersionStore } from '../../../ports/version-store.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import type { MemoryRow } from './memory-rows.js';

interface VersionRow {
  number: number;
  updated_at: number;
  replaced_at: number;
  subject_key: string;
  metadata: string;
  content: string;
}

const SELECT = `SELECT number, updated_at, replaced_at, subject_key, metadata, content FROM memory_versions
  WHERE org = ? AND memory_id = ?`;

/** Reads what is committed. */
export class SqliteVersionStore implements VersionStore {
  readonly #reader: Connection;
  readonly #organizations: Organizations;

  constructor(reader: Connection, organizations: Organizations) {
    this.#reader = reader;
    this.#organizations = organizations;
  }

  async list(organizationId: string, memoryId: string, { after, limit }: PageQuery): Promise<MemoryVersion[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    const before = after?.at ?? Number.MAX_SAFE_INTEGER;
    const sql = `${SELECT} AND replaced_at < ? ORDER BY replaced_at DESC LIMIT +?`;
    return this.#reader.all<VersionRow>(sql, org, memoryId, before, limit).map((row) => toVersion(memoryId, row));
  }

  async find(organizationId: string, memoryId: string, number: number): Promise<MemoryVersion | undefined> {
    const org = this.#organizations.keyOf(organizationId);
    return org === undefined ? undefined : findVersion(this.#reader, org, memoryId, number);
  }
}

export function findVersion(
  connection: Connection,
  org: number,
  memoryId: string,
  number: number,
): MemoryVersion | undefined {
  const row = connection.get<VersionRow>(`${SELECT} AND number = ?`, org, memoryId, number);
  return row && toVersion(memoryId, row);
}

/** Keeps a row as a version of its memory, and at most `kept` versions of that. */
export function keepVersion(connection: Connection, org: number, row: MemoryRow, replacedBy: Memory, kept: number) {
  const number = kept > 0 ? insertVersion(connection, org, row, replacedBy) : Number.MAX_SAFE_INTEGER;
  const sql = 'DELETE FROM memory_versions WHERE org = ? AND memory_id = ? AND number <= ?';
  connection.run(sql, org, row.id, number - kept);
}

function insertVersion(connection: Connection, org: number, row: MemoryRow, { updatedAt }: Memory): number {
  const counted = connection.get<{ versions: number }>(
    'UPDATE memories SET versions = versions + 1 WHERE seq = ? RETURNING versions',
    row.seq,
  );
  if (!counted) throw new Error(`There is no memory ${row.id}`);
  connection.run(
    `INSERT INTO memory_versions (org, memory_id, number, updated_at, replaced_at, subject_key, metadata, content)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    org,
    row.id,
    counted.versions,
    row.updated_at,
    updatedAt,
    row.subject_key,
    row.metadata,
    row.content,
  );
  return counted.versions;
}

function toVersion(memoryId: string, row: VersionRow): MemoryVersion {
  const subjectKey = parseSubjectText(row.subject_key);
  return {
    memoryId,
    number: row.number,
    content: row.content,
    metadata: JSON.parse(row.metadata) as Metadata,
    ...(subjectKey !== undefined && { subjectKey }),
    updatedAt: row.updated_at,
    replacedAt: row.replaced_at,
  };
}
