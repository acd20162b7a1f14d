import type { AuditAction, AuditEvent } from '../../../domain/account/audit-event.js';
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
    const selects = branchesOf(query).map((branch) => selectOf(org, branch));
    const sql = `${selects.map(({ text }) => text).join(' UNION ALL ')} ORDER BY occurred_at DESC, id DESC LIMIT +?`;
    const parameters = selects.flatMap((select) => select.parameters);
    return this.#reader.all<AuditRow>(sql, ...parameters, query.limit).map(toAuditEvent);
  }
}

interface Branch extends AuditQuery {
  action?: AuditAction;
}

/**
 * Returns one query for each action if actions are the narrowest condition. The engine merges them in the order of
 * their index, so it sorts nothing.
 */
function branchesOf({ actions, ...query }: AuditQuery): Branch[] {
  if (!actions) return [query];
  if (query.memoryId !== undefined || query.actorId !== undefined) return [{ ...query, actions }];
  return [...new Set(actions)].map((action) => ({ ...query, action }));
}

function selectOf(org: number, query: Branch) {
  const conditions = [condition('org = ?', org)];
  if (query.memoryId !== undefined) conditions.push(condition('memory_id = ?', query.memoryId));
  if (query.actorId !== undefined) conditions.push(condition('actor_id = ?', query.actorId));
  if (query.action !== undefined) conditions.push(condition('action = ?', query.action));
  if (query.actions)
    conditions.push(condition('action IN (SELECT value FROM json_each(?))', JSON.stringify(query.actions)));
  if (query.source !== undefined) conditions.push(condition('source = ?', query.source));
  if (query.since !== undefined) conditions.push(condition('occurred_at >= ?', query.since));
  if (query.until !== undefined) conditions.push(condition('occurred_at < ?', query.until));
  if (query.after) conditions.push(condition('(occurred_at, id) < (?, ?)', query.after.at, query.after.id));
  const { text, parameters } = allOf(conditions);
  return { text: `SELECT ${AUDIT_COLUMNS} FROM audit_events INDEXED BY ${indexFor(query)} WHERE ${text}`, parameters };
}

/** Names the index, since the engine can only guess which condition is the narrowest. */
function indexFor({ memoryId, actorId, action, source }: Branch): string {
  if (memoryId !== undefined) return 'audit_events_by_memory';
  if (actorId !== undefined) return 'audit_events_by_actor';
  if (action !== undefined) return 'audit_events_by_action';
  return source === undefined ? 'audit_events_by_time' : 'audit_events_by_source';
}
