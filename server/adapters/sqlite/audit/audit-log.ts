import { AUDIT_ACTIONS, type AuditAction, type AuditEvent, SOURCES } from '../../../domain/account/audit-event.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { AuditLog, AuditQuery } from '../../../ports/audit-log.js';
import type { Connection } from '../engine/connection.js';
import type { Organizations } from '../engine/organizations.js';
import { allOf, condition } from '../engine/statements/sql.js';
import type { AuditBacklog } from './audit-backlog.js';
import { AUDIT_COLUMNS, type AuditRow, toAuditEvent } from './audit-rows.js';

// By the index alone, which has the order of time.
const DELETE = `DELETE FROM audit_events WHERE key IN (
  SELECT key FROM audit_events INDEXED BY audit_events_by_time WHERE org = ? AND occurred_at < ?
  ORDER BY occurred_at, id LIMIT +?)`;

const NEWEST_FIRST = 'ORDER BY occurred_at DESC, id DESC LIMIT +?';

/** Reads the audit log with the index of its narrowest condition, which has the order of the log, and the backlog. */
export class SqliteAuditLog implements AuditLog {
  readonly #reader: Connection;
  readonly #organizations: Organizations;
  readonly #backlog: AuditBacklog;
  readonly #write: Write;

  /** @param write runs work in a transaction of its own */
  constructor(reader: Connection, organizations: Organizations, backlog: AuditBacklog, write: Write) {
    this.#reader = reader;
    this.#organizations = organizations;
    this.#backlog = backlog;
    this.#write = write;
  }

  async list(organizationId: string, query: AuditQuery): Promise<AuditEvent[]> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return [];
    const selects = branchesOf(query).map((branch) => selectOf(org, branch));
    const sql = `${selects.map(({ text }) => text).join(' UNION ALL ')} ${NEWEST_FIRST}`;
    const parameters = selects.flatMap((select) => select.parameters);
    // No commit comes between the two reads, since they run in one turn of the event loop.
    const indexed = this.#reader.all<AuditRow>(sql, ...parameters, query.limit);
    const recent = allOf(conditionsOf(org, query));
    const ofBacklog = `SELECT ${AUDIT_COLUMNS} FROM audit_backlog WHERE ${recent.text} ${NEWEST_FIRST}`;
    const waiting = this.#reader.all<AuditRow>(ofBacklog, ...recent.parameters, query.limit);
    const rows = waiting.length === 0 ? indexed : [...indexed, ...waiting].sort(newestFirst).slice(0, query.limit);
    return rows.map(toAuditEvent);
  }

  async deleteBefore(organizationId: string, before: Microseconds, limit: number): Promise<number> {
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) return 0;
    return this.#write((writer) => {
      this.#backlog.empty();
      return writer.run(DELETE, org, before, limit).changes;
    });
  }
}

type Write = <T>(work: (writer: Connection) => T) => Promise<T>;

interface Branch extends AuditQuery {
  action?: AuditAction;
}

/**
 * Returns one query for each pair of source and action, unless a narrower condition or none is given. The engine merges
 * them in the order of their index, so it sorts nothing.
 */
function branchesOf({ actions, source, ...query }: AuditQuery): Branch[] {
  const isByPair = query.memoryId === undefined && query.actorId === undefined && (actions || source !== undefined);
  if (!isByPair) return [{ ...query, ...(actions && { actions }), ...(source !== undefined && { source }) }];
  const sources = source === undefined ? SOURCES : [source];
  const wanted = [...new Set(actions ?? AUDIT_ACTIONS)];
  return sources.flatMap((each) => wanted.map((action) => ({ ...query, source: each, action })));
}

function selectOf(org: number, query: Branch) {
  const { text, parameters } = allOf(conditionsOf(org, query));
  return { text: `SELECT ${AUDIT_COLUMNS} FROM audit_events INDEXED BY ${indexFor(query)} WHERE ${text}`, parameters };
}

function conditionsOf(org: number, query: Branch) {
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
  return conditions;
}

/** Names the index, since the engine can only guess which condition is the narrowest. */
function indexFor({ memoryId, actorId, action }: Branch): string {
  if (memoryId !== undefined) return 'audit_events_by_memory';
  if (actorId !== undefined) return 'audit_events_by_actor';
  return action === undefined ? 'audit_events_by_time' : 'audit_events_by_source_and_action';
}

/** The order of `NEWEST_FIRST`. */
function newestFirst(one: AuditRow, other: AuditRow): number {
  if (one.occurred_at !== other.occurred_at) return other.occurred_at - one.occurred_at;
  return one.id > other.id ? -1 : 1;
}
