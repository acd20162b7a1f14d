import { placeOf } from '../../domain/documents/chunk.js';
import { withExpiry } from '../../domain/memory/expiry.js';
import type { Memory, SubjectKey, Written } from '../../domain/memory/memory.js';
import { mergeMetadata } from '../../domain/memory/metadata.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import { NotFoundError } from '../../errors.js';
import type { Indexed, UnitOfWork } from '../../ports/unit-of-work.js';
import type { IngestMeter } from '../billing/ingest-meter.js';
import { claimVectors, type Vectors } from '../memories/embedding.js';
import { assertNotErasing } from '../memories/erasing.js';
import { type ApplyDeps, insertDraft } from './apply-ingest.js';
import { type Draft, indexContent } from './draft.js';
import { assertNotTaken, assertWithin, mergeInto } from './merge.js';
import { NEEDS_EMBEDDING } from './write.js';

export type KeyedDraft = Draft & { externalKey: string };

/**
 * Creates or updates the memory of a key and scope (section 4.2). Equal content leaves it unchanged; other content
 * replaces it. Near-duplicates by meaning are ignored.
 */
export async function applyUpsert(
  deps: ApplyDeps,
  unit: UnitOfWork,
  draft: KeyedDraft,
  vectors: Vectors | undefined,
  meter: IngestMeter,
): Promise<Written | typeof NEEDS_EMBEDDING> {
  const settings = await unit.settings();
  if (draft.subjectKey !== undefined) parseSubjectKey(draft.subjectKey, settings.subjectKeyType);

  const current = await unit.findByExternalKey(draft.externalKey, draft.scope);
  if (current) assertWithin(current, draft.within);
  if (current?.deletedAt !== undefined) {
    await meter.assertLeft();
    throw new NotFoundError(current.id);
  }

  const subjectKey = draft.subjectKey ?? current?.subjectKey;
  assertNotErasing(settings, subjectKey, current?.subjectKey);
  const sameSubject = subjectKey === current?.subjectKey;
  if (current && sameSubject && current.content === draft.content) {
    const result = { outcome: 'deduplicated', dedupe: 'exact' } as const;
    return mergeInto(unit, meter, { memory: current, incoming: draft, isCounted: false, result });
  }

  await meter.assertLeft();
  const metadata = mergeMetadata(current?.metadata ?? {}, draft.metadata);
  await assertNotTaken(
    unit,
    placeOf({ metadata, ...(subjectKey !== undefined && { subjectKey }) }),
    draft,
    current?.id,
  );

  if (current && current.content === draft.content) {
    return replace(unit, meter, current, { draft, subjectKey });
  }
  const embedded = vectors && (await claimVectors(deps, unit, vectors));
  if (!embedded) return NEEDS_EMBEDDING;
  if (!current) return { memory: await insertDraft(deps, unit, draft, embedded, meter), outcome: 'created' };
  const indexed = indexContent(draft, embedded);
  return replace(unit, meter, current, { draft, subjectKey, indexed });
}

async function replace(
  unit: UnitOfWork,
  meter: IngestMeter,
  current: Memory,
  { draft, subjectKey, indexed }: { draft: Draft; subjectKey: SubjectKey | undefined; indexed?: Indexed },
): Promise<Written> {
  const changed: Memory = {
    ...current,
    content: draft.content,
    metadata: mergeMetadata(current.metadata, draft.metadata),
    ...(subjectKey !== undefined && { subjectKey }),
  };
  await meter.storage.assertRoom(current, changed);
  await meter.count();
  const memory = { ...withExpiry(changed, draft.expiresAt), updatedAt: await unit.tick() };
  await unit.update(memory, indexed);
  return { memory, outcome: 'updated' };
}
