import type { Caller } from '../../domain/account/caller.js';
import type { Memory, Written } from '../../domain/memory/memory.js';
import { IngestMeter } from '../billing/ingest-meter.js';
import { quotaOf } from '../billing/quota.js';
import { readSettings } from '../organization/settings.js';
import { afterWrite } from './after-write.js';
import { applyUpsert, type KeyedDraft } from './apply-upsert.js';
import { type Draft, draftMemory, type MemoryInput } from './draft.js';
import { withEmbedderOf } from './embedding.js';
import { expireDue } from './expire.js';
import { NEEDS_EMBEDDING, type WriteDeps, writeDraft } from './write.js';

/** A memory with a caller's own key. */
export type KeyedInput = MemoryInput & { externalKey: string };

/**
 * Makes or updates the memory of an external key and scope (section 4.2).
 *
 * @param isOutdated whether the memory that is there says something later: it is left alone then
 * @throws {QuotaExceededError} when the monthly cap of ingests is reached, unless it is an exact replay
 * @throws {StorageExceededError} when it takes more room than the plan has
 * @throws {NotFoundError} when the key names a soft-deleted memory
 * @throws {ConflictError} when another active memory has this content
 * @throws {ContentRejectedError}
 * @throws {UnprocessableError} for content, metadata or a subject key that the rules refuse
 */
export async function upsert(
  given: WriteDeps,
  caller: Caller,
  input: KeyedInput,
  isOutdated: (current: Memory) => boolean = () => false,
): Promise<Written> {
  const settings = await readSettings(given, caller);
  const draft = keyedDraft(await draftMemory(given, settings, input, given.texts.row(caller.organizationId)));
  const deps = withEmbedderOf(given, settings);
  await expireDue(deps, { ...caller, settings });
  const quota = await quotaOf(deps, caller);

  return writeDraft(deps, caller, draft, quota, async (unit, embedding) => {
    const current = await unit.findByExternalKey(draft.externalKey, draft.scope);
    if (current && isOutdated(current)) return { memory: current, outcome: 'deduplicated' };
    const written = await applyUpsert(deps, unit, draft, embedding, new IngestMeter(unit, quota));
    if (written === NEEDS_EMBEDDING) return written;
    await afterWrite(deps, unit, caller, { action: 'memory.upsert', written, metadata: draft.metadata });
    return written;
  });
}

function keyedDraft({ externalKey, ...draft }: Draft): KeyedDraft {
  if (externalKey === undefined) throw new Error('an upsert needs an external key');
  return { ...draft, externalKey };
}
