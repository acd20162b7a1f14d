import type { Deps } from '../../deps.js';
import type { Memory } from '../../domain/memory/memory.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import type { Auditable } from '../audit/record-audit.js';
import { afterWrite } from './after-write.js';

/** Fields of the audit event of a deletion. */
interface Deletion {
  action?: 'memory.delete' | 'memory.expire';
  /** Shared by the events of memories that are deleted together. */
  batchId?: string;
}

/** Soft-deletes an active memory in a unit. */
export async function softDelete(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  by: Auditable,
  current: Memory,
  { action = 'memory.delete', batchId }: Deletion = {},
): Promise<void> {
  const at = await unit.tick();
  const memory = { ...current, updatedAt: at, deletedAt: at };
  await unit.update(memory);
  await afterWrite(deps, unit, by, { action, written: { memory }, batchId });
}
