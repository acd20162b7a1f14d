import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { NotFoundError } from '../../errors.js';
import { afterWrite } from './after-write.js';

/**
 * Soft-deletes an active memory (section 4.6).
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and already deleted ids
 */
export async function deleteMemory(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  id: string,
): Promise<void> {
  await deps.store.transact(caller.organizationId, async (unit) => {
    await unit.expect?.({ ids: [id] });
    const current = await unit.findById(id);
    if (!current || current.deletedAt !== undefined) throw new NotFoundError();

    const at = await unit.tick();
    const memory = { ...current, updatedAt: at, deletedAt: at };
    await unit.update(memory);
    await afterWrite(deps, unit, caller, { action: 'memory.delete', written: { memory } });
  });
}
