import type { Deps } from '../deps.js';
import { chunkIdentity } from '../domain/chunk.js';
import type { Memory, Written } from '../domain/memory.js';
import { sameFact } from '../domain/near-duplicate.js';
import { parseSubjectKey } from '../domain/subject-key.js';
import { ConflictError } from '../errors.js';
import type { UnitOfWork } from '../ports/store.js';
import { type Draft, indexDraft, newMemory } from './draft.js';
import { claimEmbedder } from './embedding.js';
import type { IngestMeter } from './ingest-meter.js';
import { mergeInto } from './merge.js';

/** How many near neighbours are offered to the guard before a memory counts as new. */
const NEAR_DUPLICATE_CANDIDATES = 5;

export type ApplyDeps = Pick<Deps, 'embedder' | 'newId' | 'limits'>;

/** The write needs a vector that was not made: the memory that seemed to make it a replay is gone. */
export const NEEDS_EMBEDDING = Symbol('needs embedding');

/**
 * Stores a draft, or folds it into the active memory that it repeats
 * (section 4.1). Duplicates are looked for in order of cost: the external
 * key, equal content, content equal after folding, then meaning. A keyed
 * draft has an identity of its own and is never merged into a mere
 * near-duplicate.
 */
export async function applyIngest(
  deps: ApplyDeps,
  unit: UnitOfWork,
  draft: Draft,
  embedding: Float32Array | undefined,
  meter: IngestMeter,
): Promise<Written | typeof NEEDS_EMBEDDING> {
  const settings = await unit.settings();
  if (draft.subjectKey !== undefined) parseSubjectKey(draft.subjectKey, settings.subjectKeyType);

  const replayed = (await findKeyedReplay(unit, draft, meter)) ?? (await findEqual(unit, draft));
  if (replayed) return mergeInto(unit, replayed, draft.metadata, { outcome: 'deduplicated', dedupe: 'exact' });

  if (draft.externalKey === undefined) {
    const folded = await unit.findActiveByFoldedContent(draft.subjectKey, draft.foldedHash);
    if (folded && sameChunk(folded, draft)) {
      await meter.count();
      return mergeInto(unit, folded, draft.metadata, { outcome: 'merged_metadata', dedupe: 'exact' });
    }
  }

  await meter.assertLeft();
  if (!embedding) return NEEDS_EMBEDDING;
  await claimEmbedder(deps, unit);

  if (draft.externalKey === undefined && settings.semanticDedupe) {
    const near = await findNearDuplicate(deps, unit, draft, embedding);
    if (near) {
      await meter.count();
      return mergeInto(unit, near, draft.metadata, { outcome: 'merged_metadata', dedupe: 'semantic' });
    }
  }

  await meter.count();
  return { memory: await insertDraft(deps, unit, draft, embedding), outcome: 'created' };
}

/** Stores a draft as a new memory. */
export async function insertDraft(
  deps: ApplyDeps,
  unit: UnitOfWork,
  draft: Draft,
  embedding: Float32Array,
): Promise<Memory> {
  const memory = newMemory(deps, unit.organizationId, draft, await unit.tick());
  await unit.insert(memory, indexDraft(draft, embedding, deps.embedder.fingerprint));
  return memory;
}

async function findKeyedReplay(unit: UnitOfWork, draft: Draft, meter: IngestMeter): Promise<Memory | undefined> {
  if (draft.externalKey === undefined) return undefined;

  const keyed = await unit.findByExternalKey(draft.externalKey, draft.scope);
  if (!keyed || keyed.deletedAt !== undefined) return undefined;
  if (keyed.content === draft.content) return keyed;
  await meter.assertLeft();
  throw new ConflictError(
    'external_key_conflict',
    'A memory with this externalKey and scope has other content: use PUT /api/memories to change it',
    keyed.id,
  );
}

function findEqual(unit: UnitOfWork, draft: Draft): Promise<Memory | undefined> {
  return unit.findActiveByContent(draft.subjectKey, draft.contentHash);
}

async function findNearDuplicate(
  deps: ApplyDeps,
  unit: UnitOfWork,
  draft: Draft,
  embedding: Float32Array,
): Promise<Memory | undefined> {
  const candidates = await unit.findSimilar({
    embedding,
    subjectKey: draft.subjectKey,
    atLeast: deps.embedder.semanticDedupeThreshold,
    limit: NEAR_DUPLICATE_CANDIDATES,
  });
  return candidates.find(({ memory }) => sameChunk(memory, draft) && sameFact(memory.content, draft.content))?.memory;
}

/** Two chunks of a document may say nearly the same and are still two chunks. */
function sameChunk(memory: Memory, draft: Draft): boolean {
  return chunkIdentity(memory.metadata) === chunkIdentity(draft.metadata);
}
