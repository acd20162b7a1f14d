import type { Deps } from '../../deps.js';
import type { AuditAction, AuditEvent, AuditMetadata } from '../../domain/account/audit-event.js';
import type { Caller, Origin } from '../../domain/account/caller.js';
import { countCodePoints } from '../../domain/memory/content.js';
import type { Metadata, Written } from '../../domain/memory/memory.js';
import type { UnitOfWork } from '../../ports/store.js';
import { announce } from '../outbound/outbound-events.js';

export interface WriteRecord {
  action: AuditAction;
  written: Pick<Written, 'memory'> & Partial<Written>;
  /** What the caller gave, of which only the number of keys is kept. */
  metadata?: Metadata | undefined;
  batchId?: string | undefined;
}

/** Writes the audit event of a successful write and what customers are told of it, in the unit that wrote it. */
export async function recordWrite(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  caller: Caller,
  { action, written, metadata, batchId }: WriteRecord,
): Promise<void> {
  const { memory, outcome, dedupe } = written;
  await recordAudit(deps, unit, caller, {
    action,
    memoryId: memory.id,
    ...(batchId !== undefined && { batchId }),
    metadata: {
      ...(outcome && { outcome }),
      ...(dedupe && { dedupe }),
      ...(action !== 'memory.delete' && { contentLength: countCodePoints(memory.content) }),
      ...(metadata && { metadataKeys: Object.keys(metadata).length }),
    },
  });
  await announce(deps, unit, written);
}

/** Writes an audit event, its time and origin filled in. */
export async function recordAudit(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  { actor, source, requestId, ip, userAgent }: Origin & Pick<Caller, 'actor' | 'source'>,
  event: Pick<AuditEvent, 'action' | 'memoryId' | 'batchId'> & { metadata: AuditMetadata },
): Promise<void> {
  await unit.recordAudit({
    id: deps.newId(),
    occurredAt: deps.now(),
    actor,
    requestId,
    source,
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { userAgent }),
    ...event,
  });
}
