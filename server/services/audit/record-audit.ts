import type { Deps } from '../../deps.js';
import type { AuditEvent } from '../../domain/account/audit-event.js';
import type { Caller, Origin } from '../../domain/account/caller.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';

/** The actor and source of an audit event: of a caller, or of a part of the service that acts without a request. */
export type Auditable = Pick<Caller, 'actor' | 'source'> & Partial<Origin>;

/** Writes an audit event in the unit of the change that it records, with its time and its origin. */
export async function recordAudit(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  { actor, source, requestId, ip, userAgent }: Auditable,
  event: Pick<AuditEvent, 'action' | 'memoryId' | 'batchId' | 'metadata'>,
): Promise<void> {
  await unit.recordAudit({
    id: deps.newId(),
    occurredAt: deps.now(),
    actor,
    source,
    ...(requestId !== undefined && { requestId }),
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { userAgent }),
    ...event,
  });
}
