import type { Actor, AuditAction, AuditEvent, AuditMetadata, Source } from '../../../domain/account/audit-event.js';
import type { Connection, SqlValue } from '../engine/connection.js';

/** A row of the table of audit events. */
export interface AuditRow {
  id: string;
  occurred_at: number;
  action: AuditAction;
  actor_type: Actor['type'];
  actor_id: string;
  user_id: string | null;
  memory_id: string | null;
  request_id: string | null;
  batch_id: string | null;
  source: Source;
  ip: string | null;
  user_agent: string | null;
  metadata: string;
}

export const AUDIT_COLUMNS =
  'id, occurred_at, action, actor_type, actor_id, user_id, memory_id, request_id, batch_id, source, ip, user_agent, ' +
  'metadata';

const INSERT = `INSERT INTO audit_events (org, ${AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function insertAuditEvent(connection: Connection, org: number, event: AuditEvent): void {
  connection.run(INSERT, org, ...auditValues(event));
}

/** Returns the values of `AUDIT_COLUMNS`. */
export function auditValues(event: AuditEvent): SqlValue[] {
  return [
    event.id,
    event.occurredAt,
    event.action,
    event.actor.type,
    event.actor.id,
    event.actor.userId ?? null,
    event.memoryId ?? null,
    event.requestId ?? null,
    event.batchId ?? null,
    event.source,
    event.ip ?? null,
    event.userAgent ?? null,
    JSON.stringify(event.metadata),
  ];
}

export function toAuditEvent(row: AuditRow): AuditEvent {
  return {
    id: row.id,
    occurredAt: row.occurred_at,
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, ...(row.user_id !== null && { userId: row.user_id }) },
    ...(row.memory_id !== null && { memoryId: row.memory_id }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.batch_id !== null && { batchId: row.batch_id }),
    source: row.source,
    ...(row.ip !== null && { ip: row.ip }),
    ...(row.user_agent !== null && { userAgent: row.user_agent }),
    metadata: JSON.parse(row.metadata) as AuditMetadata,
  };
}
