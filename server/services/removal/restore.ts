import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { placeOf } from '../../domain/documents/chunk.js';
import { withExpiry } from '../../domain/memory/expiry.js';
import type { Memory } from '../../domain/memory/memory.js';
import { hashContent } from '../../domain/text/content.js';
import { ConflictError, NotFoundError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { storageQuota } from '../billing/quota.js';
import { StorageMeter } from '../billing/storage-meter.js';
import { afterWrite } from '../memories/after-write.js';
import { assertNotErasing } from '../memories/erasing.js';
import { expireDue } from '../memories/expire.js';

/**
 * Restores a soft-deleted memory, unchanged. An active memory is returned unchanged, so that retries are safe.
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and purged ids
 * @throws {StorageExceededError} if it exceeds the storage of the plan
 * @throws {ConflictError} if another active memory has its content or its key meanwhile
 * @throws {UnavailableError} while its subject is being erased
 */
export async function restoreMemory(
  deps: Pick<Deps, 'store' | 'now' | 'newId' | 'billing'>,
  caller: Caller,
  id: string,
): Promise<Memory> {
  await expireDue(deps, caller);
  const quota = await storageQuota(deps, caller);
  return deps.store.transact(caller.organizationId, async (unit) => {
    await unit.expect?.({ ids: [id] });
    const current = await unit.findById(id);
    if (!current) throw new NotFoundError();
    if (current.deletedAt === undefined) return current;

    assertNotErasing(await unit.settings(), current.subjectKey);
    await assertFree(unit, current);
    const { deletedAt: _, ...kept } = current;
    // A past expiry would delete it again at once.
    const isOver = current.expiresAt !== undefined && current.expiresAt <= deps.now();
    const memory = withExpiry({ ...kept, updatedAt: await unit.tick() }, isOver ? null : undefined);
    await new StorageMeter(unit, quota).assertRoom(undefined, memory);
    await unit.update(memory);
    await afterWrite(deps, unit, caller, { action: 'memory.restore', written: { memory, outcome: 'updated' } });
    return memory;
  });
}

async function assertFree(unit: UnitOfWork, memory: Memory): Promise<void> {
  const { content, externalKey, scope } = memory;
  const keyed = externalKey === undefined ? undefined : await unit.findByExternalKey(externalKey, scope);
  if (keyed && keyed.deletedAt === undefined) {
    throw new ConflictError('external_key_conflict', 'Another memory now has this externalKey and scope', keyed.id);
  }
  if (memory.distinct) return;
  const holder = await unit.findActiveByContent(placeOf(memory), hashContent(content));
  if (holder) throw new ConflictError('content_conflict', 'Another memory now has exactly this content', holder.id);
}
