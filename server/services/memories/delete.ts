import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Memory } from '../../domain/memory/memory.js';
import { NotFoundError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/store.js';
import type { Auditable } from '../audit/record-audit.js';
import { afterWrite } from './after-write.js';

type DeleteDeps = Pick<Deps, 'store' | 'now' | 'newId'>;

/**
 * Soft-deletes an active memory (section 4.6).
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and already deleted ids
 */
export async function deleteMemory(deps: DeleteDeps, caller: Caller, id: string): Promise<void> {
  await deps.store.transact(caller.organizationId, async (unit) => {
    await unit.expect?.({ ids: [id] });
    const current = await unit.findById(id);
    if (!current || current.deletedAt !== undefined) throw new NotFoundError();
    await deleteIn(deps, unit, caller, current);
  });
}

/** Soft-deletes an active memory in a unit. @param batchId shared by the events of memories that are deleted together */
export async function deleteIn(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  by: Auditable,
  current: Memory,
  batchId?: string,
): Promise<void> {
  const at = await unit.tick();
  const memory = { ...current, updatedAt: at, deletedAt: at };
  await unit.update(memory);
  await afterWrite(deps, unit, by, { action: 'memory.delete', written: { memory }, batchId });
}
