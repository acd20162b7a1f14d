import type { AuditAction, AuditEvent } from '../domain/account/audit-event.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';

/** Reads of the audit events that units of work recorded (section 2.4). */
export interface AuditLog {
  /** The newest first, by time and then by id. Every condition must hold. */
  list(organizationId: string, query: AuditQuery): Promise<AuditEvent[]>;
}

export interface AuditQuery extends PageQuery {
  action?: AuditAction | undefined;
  /** Id of the token, user, webhook or part of the service that acted. */
  actorId?: string | undefined;
  memoryId?: string | undefined;
  /** Inclusive. */
  since?: Microseconds | undefined;
  /** Exclusive. */
  until?: Microseconds | undefined;
}
