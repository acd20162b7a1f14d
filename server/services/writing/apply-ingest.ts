import type { Deps } from '../../deps.js';
import { laterExpiry } from '../../domain/memory/expiry.js';
import type { Memory, Written } from '../../domain/memory/memory.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import { isWithin } from '../../domain/memory/within.js';
import type { ReadContent } from '../../domain/retrieval/read-content.js';
import { hashFold } from '../../domain/text/fold.js';
import { compareFacts, hasComparableWords, readFact } from '../../domain/text/near-duplicate.js';
import { ConflictError } from '../../errors.js';
import type { Indexed, UnitOfWork } from '../../ports/unit-of-work.js';
import type { IngestMeter } from '../billing/ingest-meter.js';
import { claimVectors, embedderOf } from '../memories/embedding.js';
import { assertNotErasing } from '../memories/erasing.js';
import { type Draft, indexContent, type NewContent, newMemory } from './draft.js';
import { assertWithin, contentConflict, type Incoming, mergeInto, type NewKey } from './merge.js';
import { NEEDS_EMBEDDING } from './write.js';

/** Unkeyed memories with the same words are merged, so there are few of them. */
const MAX_ALIKE = 50;
/** UTF-16 code units of content that one write compares. Other writes wait meanwhile, for about 10 ms. */
const MAX_COMPARED_LENGTH = 20_000;

export type ApplyDeps = Pick<Deps, 'embedder' | 'newId' | 'now' | 'limits'>;

/**
 * Stores a draft, or merges it into the active memory that it repeats (section 4.1). It searches for duplicates in
 * order of cost: the external key, equal content, content equal after folding, then equal words and meaning among the
 * memories with about the same words. A keyed draft is never merged into a near-duplicate, since its key is its
 * identity. A draft that is bound to some memories is merged into none of the others. With `dedupe: off` only the
 * external key counts.
 */
export async function applyIngest(
  deps: ApplyDeps,
  unit: UnitOfWork,
  draft: Draft,
  made: NewContent | undefined,
  meter: IngestMeter,
): Promise<Written | typeof NEEDS_EMBEDDING> {
  const settings = await unit.settings();
  if (draft.subjectKey !== undefined) parseSubjectKey(draft.subjectKey, settings.subjectKeyType);

  assertNotErasing(settings, draft.subjectKey);

  const merge = (memory: Memory, isCounted: boolean, result: Pick<Written, 'outcome' | 'dedupe'>) =>
    mergeInto(unit, meter, { memory, incoming: addedBy(draft, memory), isCounted, result });

  const replayed = await findKeyedReplay(unit, draft, meter);
  assertNotErasing(settings, replayed?.subjectKey);
  if (replayed) return merge(replayed, false, { outcome: 'deduplicated', dedupe: 'exact' });
  const isDistinct = draft.dedupe === 'off';
  const equal = isDistinct ? undefined : await findEqual(unit, draft);
  if (equal) {
    assertWithin(equal, draft.within);
    assertNotErasing(settings, equal.subjectKey);
    const result = { outcome: 'deduplicated', dedupe: 'exact' } as const;
    const key = keyToSet(equal, draft);
    return mergeInto(unit, meter, { memory: equal, incoming: addedBy(draft, equal), isCounted: false, result, key });
  }

  if (!made) {
    await meter.assertLeft();
    return NEEDS_EMBEDDING;
  }
  const { read } = made;
  const isMergeable = !isDistinct && draft.externalKey === undefined;
  const former = isMergeable ? await findFormer(unit, draft, read) : [];
  const comparesWords = isMergeable && settings.semanticDedupe && hasComparableWords(read.content);
  const alike = comparesWords ? await unit.findActiveByWords(draft, read.wordsHash, MAX_ALIKE) : undefined;
  const folded = isMergeable && (await findFolded(unit, draft, read, { former, alike }));
  if (folded) return merge(folded, true, { outcome: 'merged_metadata', dedupe: 'exact' });

  await meter.assertLeft();
  const embedded = await claimVectors(deps, unit, made.vectors);
  if (!embedded) return NEEDS_EMBEDDING;

  const indexed = indexContent(read, embedded);
  const near = alike && (await findNearDuplicate(deps, unit, draft, { former, alike, indexed }));
  if (near) return merge(near, true, { outcome: 'merged_metadata', dedupe: 'semantic' });
  return { memory: await insertDraft(deps, unit, draft, indexed, meter), outcome: 'created' };
}

/**
 * Stores a draft as a new memory, and counts it.
 *
 * @throws {QuotaExceededError}
 * @throws {StorageExceededError}
 */
export async function insertDraft(
  deps: ApplyDeps,
  unit: UnitOfWork,
  draft: Draft,
  indexed: Indexed,
  meter: IngestMeter,
): Promise<Memory> {
  await meter.storage.assertRoom(undefined, draft);
  await meter.count();
  const memory = newMemory(deps, unit.organizationId, draft, await unit.tick());
  await unit.insert(memory, indexed);
  return memory;
}

async function findKeyedReplay(unit: UnitOfWork, draft: Draft, meter: IngestMeter): Promise<Memory | undefined> {
  if (draft.externalKey === undefined) return undefined;

  const keyed = await unit.findByExternalKey(draft.externalKey, draft.scope);
  if (!keyed || keyed.deletedAt !== undefined) return undefined;
  assertWithin(keyed, draft.within);
  if (keyed.content === draft.content) return keyed;
  await meter.assertLeft();
  throw new ConflictError(
    'external_key_conflict',
    'A memory with this externalKey and scope has other content: use PUT /api/memories to change it',
    keyed.id,
  );
}

/**
 * Returns the external key and scope that a memory without a key gets from a draft of equal content.
 *
 * @throws {ConflictError} if the memory has another key
 */
function keyToSet(equal: Memory, { externalKey, scope }: Draft): NewKey | undefined {
  if (externalKey === undefined) return undefined;
  if (equal.externalKey !== undefined) throw contentConflict(equal);
  return { externalKey, scope };
}

function findEqual(unit: UnitOfWork, draft: Draft): Promise<Memory | undefined> {
  return unit.findActiveByContent(draft, draft.contentHash);
}

/** The memories of the place that may state what a draft does. */
interface Candidates {
  /** Those that an earlier release stored. */
  former: readonly Memory[];
  /** Those with the same words, which include all with the same fold. Undefined if they were not looked up. */
  alike: readonly Memory[] | undefined;
}

/** Returns the oldest memory that differs only in case, white space and punctuation. */
async function findFolded(
  unit: UnitOfWork,
  draft: Draft,
  read: ReadContent,
  { former, alike }: Candidates,
): Promise<Memory | undefined> {
  const found =
    former.find(({ content }) => hashFold(content) === read.foldHash) ??
    (alike?.length === 0 ? undefined : await unit.findActiveByFold(draft, read));
  if (!found || isWithin(found, draft.within)) return found;
  // The oldest is elsewhere.
  const others = alike ?? (await unit.findActiveByWords(draft, read.wordsHash, MAX_ALIKE));
  return comparable(others).find(
    (memory) => isWithin(memory, draft.within) && hashFold(memory.content) === read.foldHash,
  );
}

/** Returns memories with about the same words that an earlier release stored, with folds of that release. */
async function findFormer(unit: UnitOfWork, draft: Draft, { formerWordsHash }: ReadContent): Promise<Memory[]> {
  if (formerWordsHash === undefined) return [];
  const former = await unit.findActiveByWords(draft, formerWordsHash, MAX_ALIKE);
  return comparable(former.filter((memory) => isWithin(memory, draft.within)));
}

/** Returns the oldest memory that surely states the same fact, or else the most similar that probably does. */
async function findNearDuplicate(
  deps: Pick<ApplyDeps, 'embedder'>,
  unit: UnitOfWork,
  draft: Draft,
  { former, alike, indexed }: { former: readonly Memory[]; alike: readonly Memory[]; indexed: Indexed },
): Promise<Memory | undefined> {
  const candidates = [...former, ...comparable(alike.filter((memory) => isWithin(memory, draft.within)))];
  if (candidates.length === 0) return undefined;
  const { embedding, fingerprint } = indexed;
  const fact = readFact(draft.content);
  let [nearest, highest]: [Memory | undefined, number] = [undefined, 0];
  for (const memory of candidates) {
    const likeness = compareFacts(readFact(memory.content), fact);
    if (likeness === 'same') return memory;
    if (likeness === 'other') continue;
    const similarity = (await unit.similarityOf(memory.id, embedding)) ?? 0;
    if (similarity > highest) [nearest, highest] = [memory, similarity];
  }
  const { semanticDedupeThreshold } = embedderOf(deps, fingerprint) ?? deps.embedder;
  return highest >= semanticDedupeThreshold ? nearest : undefined;
}

/** Returns the first memories, up to the limit on compared content. */
function comparable(alike: readonly Memory[]): Memory[] {
  let left = MAX_COMPARED_LENGTH;
  return alike.filter((memory) => {
    left -= memory.content.length;
    return left >= 0;
  });
}

/** Returns what a draft adds to a memory with the same content. The later expiry counts. */
function addedBy({ metadata, expiresAt, dedupe }: Draft, memory: Memory): Incoming {
  return { metadata, expiresAt: laterExpiry(memory, expiresAt), dedupe };
}
