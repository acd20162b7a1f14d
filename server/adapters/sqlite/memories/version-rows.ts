import { parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import type { MemoryVersion } from '../../../domain/memory/version.js';
import type { PageQuery } from '../../../domain/page.js';
import type { VersionStore } from '../../../ports/version-store.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import type { MemoryRow } from './memory-rows.js';

interface VersionRow {
  memory_id: string;
  number: number;
  updated_at: number;
  replaced_at: number;
  subject_key: string;
  metadata: string;
  content: string;
}

const SELECT = `SELECT memory_id, number, updated_at, replaced_at, subject_key, metadata, content FROM memory_versions
  WHERE org = ?`;
const SELECT_OF_MEMORY = `${SELECT} AND memory_id = ?`;

const BEYOND_IDS = '~';

/** Reads committed versions. */
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
    const sql = `${SELECT_OF_MEMORY} AND replaced_at < ? ORDER BY replaced_at DESC LIMIT +?`;
    return this.#reader.all<VersionRow>(sql, org, memoryId, before, limit).map(toVersion);
  }

  async listAll(organizationId: string, { after, limit }: PageQuery): Promise<MemoryVersion[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    const { id, at } = after ?? { id: BEYOND_IDS, at: 0 };
    const sql = `${SELECT} AND memory_id <= ? AND (memory_id < ? OR replaced_at > ?)
      ORDER BY memory_id DESC, replaced_at LIMIT +?`;
    return this.#reader.all<VersionRow>(sql, org, id, id, at, limit).map(toVersion);
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
  const row = connection.get<VersionRow>(`${SELECT_OF_MEMORY} AND number = ?`, org, memoryId, number);
  return row && toVersion(row);
}

export function findLastVersion(connection: Connection, org: number, memoryId: string): MemoryVersion | undefined {
  const row = connection.get<VersionRow>(`${SELECT_OF_MEMORY} ORDER BY number DESC LIMIT 1`, org, memoryId);
  return row && toVersion(row);
}

/** Returns the highest version number that a memory ever had. */
export function countVersions(connection: Connection, seq: number): number {
  return connection.get<{ versions: number }>('SELECT versions FROM memories WHERE seq = ?', seq)?.versions ?? 0;
}

/** Stores a row as a version of its memory, and deletes all but the newest `kept` versions. */
export function keepVersion(connection: Connection, org: number, row: MemoryRow, replacedBy: Memory, kept: number) {
  if (kept === 0) return deleteUpTo(connection, org, row.id, Number.MAX_SAFE_INTEGER);
  const version: VersionRow = {
    memory_id: row.id,
    number: countVersions(connection, row.seq) + 1,
    updated_at: row.updated_at,
    replaced_at: replacedBy.updatedAt,
    subject_key: row.subject_key,
    metadata: row.metadata,
    content: row.content,
  };
  insertRow(connection, org, row.seq, version, kept);
}

/** Stores a version of the memory with `seq`, and deletes all but the newest `kept` versions. */
export function insertVersion(connection: Connection, org: number, seq: number, version: MemoryVersion, kept: number) {
  const row: VersionRow = {
    memory_id: version.memoryId,
    number: version.number,
    updated_at: version.updatedAt,
    replaced_at: version.replacedAt,
    subject_key: subjectText(version.subjectKey),
    metadata: JSON.stringify(version.metadata),
    content: version.content,
  };
  insertRow(connection, org, seq, row, kept);
}

function insertRow(connection: Connection, org: number, seq: number, row: VersionRow, kept: number): void {
  connection.run('UPDATE memories SET versions = ? WHERE seq = ?', row.number, seq);
  connection.run(
    `INSERT INTO memory_versions (org, memory_id, number, updated_at, replaced_at, subject_key, metadata, content)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    org,
    row.memory_id,
    row.number,
    row.updated_at,
    row.replaced_at,
    row.subject_key,
    row.metadata,
    row.content,
  );
  deleteUpTo(connection, org, row.memory_id, row.number - kept);
}

function deleteUpTo(connection: Connection, org: number, memoryId: string, number: number): void {
  connection.run('DELETE FROM memory_versions WHERE org = ? AND memory_id = ? AND number <= ?', org, memoryId, number);
}

function toVersion(row: VersionRow): MemoryVersion {
  const subjectKey = parseSubjectText(row.subject_key);
  return {
    memoryId: row.memory_id,
    number: row.number,
    content: row.content,
    metadata: JSON.parse(row.metadata) as Metadata,
    ...(subjectKey !== undefined && { subjectKey }),
    updatedAt: row.updated_at,
    replacedAt: row.replaced_at,
  };
}
