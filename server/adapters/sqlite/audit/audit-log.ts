import type { AuditEvent } from '../../../domain/account/audit-event.js';
import type { AuditLog, AuditQuery } from '../../../ports/audit-log.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import { allOf, condition } from '../engine/sql.js';
import { AUDIT_COLUMNS, type AuditRow, toAuditEvent } from './audit-rows.js';

/** Reads the audit log with the index of its narrowest condition, which has the order of the log. */
export class SqliteAuditLog implements AuditLog {
  readonly #reader: Connection;
  readonly #organizations: Organizations;

  constructor(reader: Connection, organizations: Organizations) {
    this.#reader = reader;
    this.#organizations = organizations;
  }

  async list(organizationId: string, query: AuditQuery): Promise<AuditEvent[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    const conditions = [condition('org = ?', org)];
    if (query.memoryId !== undefined) conditions.push(condition('memory_id = ?', query.memoryId));
    if (query.actorId !== undefined) conditions.push(condition('actor_id = ?', query.actorId));
    if (query.action !== undefined) conditions.push(condition('action = ?', query.action));
    if (query.since !== undefined) conditions.push(condition('occurred_at >= ?', query.since));
    if (query.until !== undefined) conditions.push(condition('occurred_at < ?', query.until));
    if (query.after) conditions.push(condition('(occurred_at, id) < (?, ?)', query.after.at, query.after.id));

    const where = allOf(conditions);
    const sql = `SELECT ${AUDIT_COLUMNS} FROM audit_events INDEXED BY ${indexFor(query)}
      WHERE ${where.text} ORDER BY occurred_at DESC, id DESC LIMIT +?`;
    return this.#reader.all<AuditRow>(sql, ...where.parameters, query.limit).map(toAuditEvent);
  }
}

/** Names the index, since the engine can only guess which condition is the narrowest. */
function indexFor({ memoryId, actorId, action }: AuditQuery): string {
  if (memoryId !== undefined) return 'audit_events_by_memory';
  if (actorId !== undefined) return 'audit_events_by_actor';
  return action === undefined ? 'audit_events_by_time' : 'audit_events_by_action';
}
