import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { Memory, Metadata, Written } from '../../domain/memory/memory.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { recordAudit } from '../audit/record-audit.js';
import { IngestMeter } from '../billing/ingest-meter.js';
import { quotaOf } from '../billing/quota.js';
import { afterWrite } from '../memories/after-write.js';
import { requireEmbedder } from '../memories/embedding.js';
import { expireDue } from '../memories/expire.js';
import { readSettings } from '../organization/settings.js';
import { applyUpsert, type KeyedDraft } from './apply-upsert.js';
import { type Draft, draftMemory, type MemoryInput } from './draft.js';
import { NEEDS_EMBEDDING, type WriteDeps, writeDraft } from './write.js';

/** A memory with an external key. */
export type KeyedInput = MemoryInput & { externalKey: string };

/**
 * Creates or updates the memory of an external key and scope (section 4.2).
 *
 * @param isOutdated reports if the stored memory is later than this one; it is left unchanged then
 * @throws {QuotaExceededError} if the monthly cap of ingests is reached, unless it is an exact replay
 * @throws {StorageExceededError} if it exceeds the storage of the plan
 * @throws {NotFoundError} if the key names a soft-deleted memory, and the write may not restore it
 * @throws {ForbiddenError} if the sender may not restore memories, and there is one to restore
 * @throws {ConflictError} if another active memory has this content
 * @throws {ContentRejectedError}
 * @throws {UnprocessableError} for invalid content, metadata or subject key
 */
export async function upsert(
  deps: WriteDeps,
  caller: Caller,
  input: KeyedInput,
  isOutdated: (current: Memory) => boolean = () => false,
): Promise<Written> {
  const settings = await readSettings(deps, caller);
  const draft = keyedDraft(await draftMemory(deps, settings, input, deps.texts.row(caller.organizationId), caller));
  requireEmbedder(deps, settings);
  await expireDue(deps, { ...caller, settings });
  const quota = await quotaOf(deps, caller);

  return writeDraft(deps, caller, draft, quota, async (unit, made) => {
    const current = await unit.findByExternalKey(draft.externalKey, draft.scope);
    if (current && isOutdated(current)) return { memory: current, outcome: 'deduplicated' };
    const written = await applyUpsert(deps, unit, draft, made, new IngestMeter(unit, quota));
    if (written === NEEDS_EMBEDDING) return written;
    await afterUpsert(deps, unit, caller, { written, metadata: draft.metadata });
    return written;
  });
}

/** Ends an upsert, in its unit: as `afterWrite`, and with an event of its own if it restored the memory. */
export async function afterUpsert(
  deps: Pick<Deps, 'now' | 'newId'>,
  unit: UnitOfWork,
  caller: Caller,
  { written, metadata, batchId }: { written: Written; metadata: Metadata; batchId?: string },
): Promise<void> {
  const batch = batchId === undefined ? {} : { batchId };
  if (written.restored) {
    const restoration = { action: 'memory.restore', memoryId: written.memory.id, ...batch, metadata: {} } as const;
    await recordAudit(deps, unit, caller, restoration);
  }
  await afterWrite(deps, unit, caller, { action: 'memory.upsert', written, metadata, ...batch });
}

function keyedDraft({ externalKey, ...draft }: Draft): KeyedDraft {
  if (externalKey === undefined) throw new Error('an upsert needs an external key');
  return { ...draft, externalKey };
}
