import type { AuditAction, AuditEvent, Source } from '../domain/account/audit-event.js';
import type { PageQuery } from '../domain/page.js';
import type { Microseconds } from '../domain/timestamp.js';

/** The audit events that units of work recorded (section 2.4). */
export interface AuditLog {
  /** Lists the events that meet every condition, the newest first; the id breaks ties. */
  list(organizationId: string, query: AuditQuery): Promise<AuditEvent[]>;

  /** Deletes the oldest events before a time, at most `limit`. Returns their number. */
  deleteBefore(organizationId: string, before: Microseconds, limit: number): Promise<number>;
}

export interface AuditQuery extends PageQuery {
  /** Any of these; undefined for all. */
  actions?: readonly AuditAction[] | undefined;
  /** Id of the token, user, webhook or system actor. */
  actorId?: string | undefined;
  memoryId?: string | undefined;
  source?: Source | undefined;
  /** Inclusive. */
  since?: Microseconds | undefined;
  /** Exclusive. */
  until?: Microseconds | undefined;
}
