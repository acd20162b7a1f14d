import type { AuditEvent } from '../../domain/audit-event.js';
import type { Connection } from './connection.js';

export function insertAuditEvent(connection: Connection, org: number, event: AuditEvent): void {
  connection.run(
    `INSERT INTO audit_events (id, org, occurred_at, action, actor_type, actor_id, user_id, memory_id, request_id,
       batch_id, source, ip, user_agent, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    event.id,
    org,
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
  );
}
