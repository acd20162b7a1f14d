import { withDedupe } from '../../domain/memory/distinct.js';
import { withExpiry } from '../../domain/memory/expiry.js';
import type { Memory, Written } from '../../domain/memory/memory.js';
import { mergeMetadata } from '../../domain/memory/metadata.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import { NotFoundError } from '../../errors.js';
import type { Indexed, UnitOfWork } from '../../ports/unit-of-work.js';
import { assertAbilities } from '../access/access.js';
import type { IngestMeter } from '../billing/ingest-meter.js';
import { claimVectors } from '../memories/embedding.js';
import { assertNotErasing } from '../memories/erasing.js';
import { type ApplyDeps, insertDraft } from './apply-ingest.js';
import { type Draft, indexContent, type NewContent } from './draft.js';
import { assertNotTaken, assertWithin, mergeInto } from './merge.js';
import { NEEDS_EMBEDDING } from './write.js';

export type KeyedDraft = Draft & { externalKey: string };

/**
 * Creates or updates the memory of a key and scope (section 4.2). Equal content leaves it unchanged; other content
 * replaces it. Near-duplicates by meaning are ignored. A deleted memory is restored and updated if the draft allows it.
 */
export async function applyUpsert(
  deps: ApplyDeps,
  unit: UnitOfWork,
  draft: KeyedDraft,
  made: NewContent | undefined,
  meter: IngestMeter,
): Promise<Written | typeof NEEDS_EMBEDDING> {
  const settings = await unit.settings();
  if (draft.subjectKey !== undefined) parseSubjectKey(draft.subjectKey, settings.subjectKeyType);

  const current = await unit.findByExternalKey(draft.externalKey, draft.scope);
  if (current) assertWithin(current, draft.within);
  const isDeleted = current?.deletedAt !== undefined;
  if (isDeleted) await assertRestorable(current, draft, meter);

  const subjectKey = draft.subjectKey ?? current?.subjectKey;
  assertNotErasing(settings, subjectKey, current?.subjectKey);
  const sameSubject = subjectKey === current?.subjectKey;
  if (current && !isDeleted && sameSubject && current.content === draft.content) {
    const result = { outcome: 'deduplicated', dedupe: 'exact' } as const;
    return mergeInto(unit, meter, { memory: current, incoming: draft, isCounted: false, result });
  }

  await meter.assertLeft();
  const next = current && replaced(deps, current, draft);
  await assertNotTaken(unit, next ?? draftedState(draft), draft, current?.id);

  if (current && next && current.content === draft.content) return replace(unit, meter, current, next);
  const embedded = made && (await claimVectors(deps, unit, made.vectors));
  if (!embedded) return NEEDS_EMBEDDING;
  const indexed = indexContent(made.read, embedded);
  if (current && next) return replace(unit, meter, current, next, indexed);
  return { memory: await insertDraft(deps, unit, draft, indexed, meter), outcome: 'created' };
}

/**
 * @throws {NotFoundError} if the draft may not restore memories
 * @throws {ForbiddenError} if its sender may not
 */
async function assertRestorable({ id }: Memory, { restorer }: Draft, meter: IngestMeter): Promise<void> {
  await meter.assertLeft();
  if (!restorer) throw new NotFoundError(id);
  assertAbilities(restorer, ['memory:admin']);
}

function draftedState({ metadata, subjectKey, dedupe }: Draft): Pick<Memory, 'metadata' | 'subjectKey' | 'distinct'> {
  return {
    metadata,
    ...(subjectKey !== undefined && { subjectKey }),
    ...(dedupe === 'off' && { distinct: true }),
  };
}

/** Returns a memory as an upsert leaves it, active. A restored memory loses an expiry that has passed. */
function replaced({ now }: Pick<ApplyDeps, 'now'>, current: Memory, draft: Draft): Memory {
  const { deletedAt, ...kept } = current;
  const isOver = deletedAt !== undefined && current.expiresAt !== undefined && current.expiresAt <= now();
  const next: Memory = {
    ...kept,
    content: draft.content,
    metadata: mergeMetadata(current.metadata, draft.metadata),
    ...(draft.subjectKey !== undefined && { subjectKey: draft.subjectKey }),
  };
  return withDedupe(withExpiry(next, isOver ? (draft.expiresAt ?? null) : draft.expiresAt), draft.dedupe);
}

async function replace(
  unit: UnitOfWork,
  meter: IngestMeter,
  current: Memory,
  next: Memory,
  indexed?: Indexed,
): Promise<Written> {
  const isDeleted = current.deletedAt !== undefined;
  await meter.storage.assertRoom(isDeleted ? undefined : current, next);
  await meter.count();
  const memory = { ...next, updatedAt: await unit.tick() };
  await unit.update(memory, indexed);
  return { memory, outcome: 'updated', ...(isDeleted && { restored: true }) };
}
