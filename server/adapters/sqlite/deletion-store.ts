import type { DeletionStore, OrganizationDeletion } from '../../ports/deletion-store.js';
import type { Connection } from './engine/connection.js';
import type { Writer } from './engine/writer.js';
import type { Yielder } from './engine/yielder.js';
import type { KeywordBacklog } from './keywords/keyword-backlog.js';
import { removeRow } from './memories/tombstone-rows.js';
import type { VectorIndexes } from './vector-index/vector-indexes.js';

/** Number of facets that are removed in the time of one memory. */
const FACETS_PER_MEMORY = 10;

/** Statements that remove some rows of an organization, in the order in which references between tables allow it. */
const REMOVALS: readonly string[] = [
  byKey('inbound_deliveries', 'rowid'),
  byKey('inbound_webhooks', 'id'),
  byKey('outbound_deliveries', 'key'),
  byKey('outbound_payloads', 'key'),
  byKey('outbound_webhooks', 'key'),
  byKey('memory_versions', 'key'),
  byKey('vectors', 'seq'),
  byKey('tombstones', 'seq'),
  byKey('erasures', 'key'),
  byKey('audit_backlog', 'key'),
  byKey('audit_events', 'key'),
  byKey('api_tokens', 'id'),
  byKey('invitations', 'id'),
  inOrganization('memberships', 'user_id'),
  inOrganization('subscriptions', 'id'),
  inOrganization('billing_events', 'id'),
  inOrganization('usage', 'period'),
  inOrganization('daily_usage', 'day'),
];

/** A job that runs is not removed: it finds nothing to do, and removes its row itself. */
const WAITING_JOBS = "data ->> 'organizationId' = ? AND locked_at IS NULL";

const REMOVED_FACETS = `DELETE FROM facets WHERE org = ?1 AND (live, facet, seq) IN
  (SELECT live, facet, seq FROM facets WHERE org = ?1 LIMIT +?2)`;

const LAST_REMOVALS: readonly string[] = [
  'DELETE FROM index_files WHERE org = ?',
  'DELETE FROM deleted_organizations WHERE org = ?',
  'DELETE FROM organizations WHERE key = ?',
];

/** The parts of a store that contain data of organizations. */
interface DeletionParts {
  reader: Connection;
  connection: Connection;
  writer: Writer;
  yielder: Yielder;
  keywords: KeywordBacklog;
  indexes: VectorIndexes;
}

export class SqliteDeletionStore implements DeletionStore {
  readonly #parts: DeletionParts;

  constructor(parts: DeletionParts) {
    this.#parts = parts;
  }

  async list(): Promise<OrganizationDeletion[]> {
    const sql = `SELECT o.id AS organizationId, d.deleted_at AS deletedAt FROM deleted_organizations d
      CROSS JOIN organizations o ON o.key = d.org ORDER BY d.deleted_at, d.org`;
    return this.#parts.reader.all<OrganizationDeletion>(sql).map((row) => ({ ...row }));
  }

  async removeSome(organizationId: string, limit: number): Promise<boolean> {
    const org = this.#keyOf(organizationId);
    if (org === undefined) return false;
    return this.#write(
      async () =>
        (await this.#removeMemories(org, limit)) ||
        this.#removeRows(org, limit) ||
        this.#removeJobs(organizationId, limit) ||
        this.#emptyOrganization(org),
    );
  }

  async end(organizationId: string): Promise<void> {
    const { connection, indexes } = this.#parts;
    const org = this.#keyOf(organizationId);
    if (org === undefined) return;
    // A search that ran during the deletion may have built the index again.
    indexes.forget(org);
    await indexes.unsave(org);
    await this.#write(async () => {
      connection.run(`DELETE FROM jobs WHERE ${WAITING_JOBS}`, organizationId);
      for (const sql of LAST_REMOVALS) connection.run(sql, org);
    });
  }

  async #removeMemories(org: number, limit: number): Promise<boolean> {
    const { connection, keywords, yielder } = this.#parts;
    const rows = connection.all<{ seq: number }>('SELECT seq FROM memories WHERE org = ? LIMIT +?', org, limit);
    // Another write would move values of a removed memory into the index.
    if (rows.length > 0) connection.run('DELETE FROM metadata_backlog WHERE org = ?', org);
    for (const { seq } of rows) {
      await yielder.breathe();
      removeRow(connection, seq);
      connection.run('DELETE FROM metadata_values WHERE seq = ?', seq);
      keywords.stage({ org, seq, terms: undefined });
    }
    return rows.length > 0;
  }

  #removeRows(org: number, limit: number): boolean {
    const { connection } = this.#parts;
    if (connection.run(REMOVED_FACETS, org, limit * FACETS_PER_MEMORY).changes > 0) return true;
    return REMOVALS.some((sql) => connection.run(sql, org, limit).changes > 0);
  }

  #removeJobs(organizationId: string, limit: number): boolean {
    const sql = `DELETE FROM jobs WHERE key IN
      (SELECT key FROM jobs WHERE ${WAITING_JOBS} AND name <> 'delete-organization' LIMIT +?)`;
    return this.#parts.connection.run(sql, organizationId, limit).changes > 0;
  }

  /** The row itself stays until the end, after which the files are not cleaned again. */
  #emptyOrganization(org: number): boolean {
    const sql = "UPDATE organizations SET name = '', settings = '{}' WHERE key = ? AND (name, settings) <> ('', '{}')";
    return this.#parts.connection.run(sql, org).changes > 0;
  }

  /** Returns the key of an organization that was deleted. */
  #keyOf(organizationId: string): number | undefined {
    const sql = `SELECT o.key FROM organizations o JOIN deleted_organizations d ON d.org = o.key WHERE o.id = ?`;
    return this.#parts.reader.get<{ key: number }>(sql, organizationId)?.key;
  }

  #write<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.writer.run(work, { kind: 'service', id: 'deletions' });
  }
}

/** Removes rows by a column that identifies a row of the table. */
function byKey(table: string, key: string): string {
  return `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE org = ?1 LIMIT +?2)`;
}

/** Removes rows by a column that identifies a row of an organization. */
function inOrganization(table: string, column: string): string {
  return `DELETE FROM ${table} WHERE org = ?1 AND ${column} IN (SELECT ${column} FROM ${table} WHERE org = ?1 LIMIT +?2)`;
}
