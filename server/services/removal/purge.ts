import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Memory } from '../../domain/memory/memory.js';
import { DAY_US } from '../../domain/timestamp.js';
import { ConflictError, NotFoundError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { type Auditable, recordAudit } from '../audit/record-audit.js';
import { expireDue } from '../memories/expire.js';
import { announce } from '../outbound/outbound-events.js';

/** Soft-deleted memories that one unit of work purges: few, so that other writers wait a short time. */
const MAX_PURGED_PER_UNIT = 50;
const RETENTION = { actor: { type: 'system', id: 'retention' }, source: 'operator' } as const;

type PurgeDeps = Pick<Deps, 'store' | 'now' | 'newId'>;

/**
 * Purges a soft-deleted memory. Only its id and its times stay, in the change feed.
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and purged ids
 * @throws {ConflictError} `memory_active` for a memory that is not deleted
 */
export async function purgeMemory(deps: PurgeDeps, caller: Caller, id: string): Promise<void> {
  await expireDue(deps, caller);
  await deps.store.transact(caller.organizationId, async (unit) => {
    await unit.expect?.({ ids: [id] });
    const memory = await unit.findById(id);
    if (!memory) throw new NotFoundError();
    if (memory.deletedAt === undefined) {
      throw new ConflictError('memory_active', 'Only a deleted memory can be purged: delete it first');
    }
    await purge(deps, unit, caller, memory);
  });
}

/** Purges memories that were deleted more than `deletedRetentionDays` ago, if that is set. Returns their number. */
export async function purgeOutdated(deps: PurgeDeps, organizationId: string, stopping?: AbortSignal): Promise<number> {
  for (let purged = 0; ; ) {
    if (stopping?.aborted) return purged;
    const days = (await deps.store.accounts.settings(organizationId))?.deletedRetentionDays;
    if (days === undefined) return purged;
    const before = deps.now() - days * DAY_US;
    const ids = await deps.store.memories.findDeleted(organizationId, before, MAX_PURGED_PER_UNIT);
    if (ids.length === 0) return purged;
    purged += await deps.store.transact(organizationId, (unit) => purgeAll(deps, unit, ids, before));
  }
}

/** Purges those of the memories that are still deleted, and were deleted before a time. */
async function purgeAll(deps: PurgeDeps, unit: UnitOfWork, ids: readonly string[], before: number): Promise<number> {
  await unit.expect?.({ ids });
  let purged = 0;
  for (const id of ids) {
    const memory = await unit.findById(id);
    if (memory?.deletedAt === undefined || memory.deletedAt >= before) continue;
    await purge(deps, unit, RETENTION, memory);
    purged += 1;
  }
  return purged;
}

async function purge(deps: PurgeDeps, unit: UnitOfWork, by: Auditable, memory: Memory): Promise<void> {
  const pending = await unit.outbound.deleteDeliveriesOf(memory.id);
  await unit.purge(memory.id, await unit.tick());
  await recordAudit(deps, unit, by, { action: 'memory.purge', memoryId: memory.id, metadata: {} });
  // An endpoint whose `memory.deleted` is still pending gets the event without metadata.
  const untold = new Set(pending.flatMap(({ event, webhookId }) => (event === 'memory.deleted' ? [webhookId] : [])));
  if (untold.size > 0) await announce(deps, unit, { memory: { ...memory, metadata: {} } }, untold);
}
