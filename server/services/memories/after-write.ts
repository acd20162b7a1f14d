import type { Deps } from '../../deps.js';
import type { AuditAction } from '../../domain/account/audit-event.js';
import { dayOf, kindOfWrite } from '../../domain/billing/usage-day.js';
import type { Metadata, Written } from '../../domain/memory/memory.js';
import { countCodePoints } from '../../domain/text/unicode.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { type Auditable, recordAudit } from '../audit/record-audit.js';
import { announce } from '../outbound/outbound-events.js';

/** A successful write of one memory. */
interface SuccessfulWrite {
  action: AuditAction;
  written: Pick<Written, 'memory'> & Partial<Written>;
  /** Metadata of the request. Only the number of its keys is recorded. */
  metadata?: Metadata | undefined;
  batchId?: string | undefined;
}

/** Ends every write of a memory, in its unit: records the audit event, counts the write, and queues the outbound events. */
export async function afterWrite(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  by: Auditable,
  { action, written, metadata, batchId }: SuccessfulWrite,
): Promise<void> {
  const { memory, outcome, dedupe } = written;
  await recordAudit(deps, unit, by, {
    action,
    memoryId: memory.id,
    ...(batchId !== undefined && { batchId }),
    metadata: {
      ...(outcome && { outcome, contentLength: countCodePoints(memory.content) }),
      ...(dedupe && { dedupe }),
      ...(metadata && { metadataKeys: Object.keys(metadata).length }),
    },
  });
  if (outcome) await unit.countDaily(dayOf(deps.now()), kindOfWrite(outcome));
  await announce(deps, unit, written);
}
