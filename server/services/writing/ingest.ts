import type { Caller } from '../../domain/account/caller.js';
import type { Written } from '../../domain/memory/memory.js';
import { IngestMeter } from '../billing/ingest-meter.js';
import { quotaOf } from '../billing/quota.js';
import { afterWrite } from '../memories/after-write.js';
import { requireEmbedder } from '../memories/embedding.js';
import { expireDue } from '../memories/expire.js';
import { readSettings } from '../organization/settings.js';
import { applyIngest } from './apply-ingest.js';
import { draftMemory, type MemoryInput } from './draft.js';
import { NEEDS_EMBEDDING, type WriteDeps, writeDraft } from './write.js';

/**
 * Stores a memory, or merges it into the active one that it repeats (section 4.1).
 *
 * @throws {UnprocessableError} for invalid content, metadata or subject key
 * @throws {ContentRejectedError}
 * @throws {QuotaExceededError} if the monthly cap of ingests is reached, unless it is an exact replay
 * @throws {StorageExceededError} if it exceeds the storage of the plan
 * @throws {ConflictError} if the external key names an active memory with other content
 */
export async function ingest(deps: WriteDeps, caller: Caller, input: MemoryInput): Promise<Written> {
  const settings = await readSettings(deps, caller);
  const draft = await draftMemory(deps, settings, input, deps.texts.row(caller.organizationId), caller);
  requireEmbedder(deps, settings);
  await expireDue(deps, { ...caller, settings });
  const quota = await quotaOf(deps, caller);

  return writeDraft(deps, caller, draft, quota, async (unit, made) => {
    const written = await applyIngest(deps, unit, draft, made, new IngestMeter(unit, quota));
    if (written === NEEDS_EMBEDDING) return written;
    await afterWrite(deps, unit, caller, { action: 'memory.ingest', written, metadata: draft.metadata });
    return written;
  });
}
