import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { NotFoundError } from '../../errors.js';
import { expireDue } from '../memories/expire.js';
import { softDelete } from '../memories/soft-delete.js';

type DeleteDeps = Pick<Deps, 'store' | 'now' | 'newId'>;

/**
 * Soft-deletes an active memory (section 4.6).
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and already deleted ids
 */
export async function deleteMemory(deps: DeleteDeps, caller: Caller, id: string): Promise<void> {
  await expireDue(deps, caller);
  await deps.store.transact(caller.organizationId, async (unit) => {
    await unit.expect?.({ ids: [id] });
    const current = await unit.findById(id);
    if (!current || current.deletedAt !== undefined) throw new NotFoundError();
    await softDelete(deps, unit, caller, current);
  });
}
