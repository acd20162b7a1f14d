import type { Deps } from '../../deps.js';
import type { Memory, Written } from '../../domain/memory/memory.js';
import { readFact, sameFact } from '../../domain/memory/near-duplicate.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import { ConflictError } from '../../errors.js';
import type { UnitOfWork } from '../../ports/store.js';
import type { IngestMeter } from '../billing/ingest-meter.js';
import { type Draft, indexContent, newMemory } from './draft.js';
import { claimEmbedder } from './embedding.js';
import { mergeInto } from './merge.js';
import { NEEDS_EMBEDDING } from './write.js';

/** Unkeyed memories of the same words were merged, so there are few of them. */
const MOST_ALIKE = 50;
/** UTF-16 code units of contents that one write is compared with while others wait for it: some 10 ms. */
const MOST_COMPARED = 20_000;

export type ApplyDeps = Pick<Deps, 'embedder' | 'newId' | 'limits'>;

/**
 * Stores a draft, or folds it into the active memory that it repeats
 * (section 4.1). Duplicates are looked for in order of cost: the external
 * key, equal content, content equal after folding, then meaning among the
 * memories of about the same words. A keyed
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

  const folded = draft.externalKey === undefined && (await findFolded(unit, draft));
  if (folded) {
    await meter.count();
    return mergeInto(unit, folded, draft.metadata, { outcome: 'merged_metadata', dedupe: 'exact' });
  }

  await meter.assertLeft();
  if (!embedding) return NEEDS_EMBEDDING;
  await claimEmbedder(deps, unit);

  const near = settings.semanticDedupe && (await findNearDuplicate(deps, unit, draft, embedding));
  if (near) {
    await meter.count();
    return mergeInto(unit, near, draft.metadata, { outcome: 'merged_metadata', dedupe: 'semantic' });
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
  await unit.insert(memory, indexContent(draft, embedding, deps.embedder.fingerprint));
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
  return unit.findActiveByContent(draft, draft.contentHash);
}

/** The oldest that says the same but for case, white space and punctuation. */
function findFolded(unit: UnitOfWork, draft: Draft): Promise<Memory | undefined> {
  return unit.findActiveByFold(draft, draft);
}

/** The most similar of those that surely state the same fact, if it is similar enough. */
async function findNearDuplicate(
  { embedder }: Pick<ApplyDeps, 'embedder'>,
  unit: UnitOfWork,
  draft: Draft,
  embedding: Float32Array,
): Promise<Memory | undefined> {
  if (draft.externalKey !== undefined || !draft.words) return undefined;
  const alike = await unit.findActiveByWords(draft, draft.wordsHash, MOST_ALIKE);
  let [nearest, highest]: [Memory | undefined, number] = [undefined, 0];
  for (const memory of sameFacts(alike, draft)) {
    const similarity = (await unit.similarityOf(memory.id, embedding)) ?? 0;
    if (similarity > highest) [nearest, highest] = [memory, similarity];
  }
  return highest >= embedder.semanticDedupeThreshold ? nearest : undefined;
}

/** Those that surely state the same fact, of as many as are compared. */
function sameFacts(alike: readonly Memory[], draft: Draft): Memory[] {
  let left = MOST_COMPARED;
  return alike.filter((memory) => {
    left -= memory.content.length;
    return left >= 0 && sameFact(readFact(memory.content), draft);
  });
}
