import type { AuditAction } from '../../domain/account/audit-event.js';
import type { Caller } from '../../domain/account/caller.js';
import { assertChunk, placeOf } from '../../domain/documents/chunk.js';
import { type GivenExpiry, parseExpiry, withExpiry } from '../../domain/memory/expiry.js';
import type { Memory, Metadata, SubjectKey, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, parseMetadata, sameMetadata } from '../../domain/memory/metadata.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import type { ReadContent } from '../../domain/retrieval/read-content.js';
import { assertContentLength, hashContent } from '../../domain/text/content.js';
import { NotFoundError, UnprocessableError } from '../../errors.js';
import type { ExpectedWrite, UnitOfWork } from '../../ports/unit-of-work.js';
import { type Quota, storageQuota } from '../billing/quota.js';
import { StorageMeter } from '../billing/storage-meter.js';
import { afterWrite } from '../memories/after-write.js';
import { claimVectors, embedDocument, requireEmbedder, type Vectors } from '../memories/embedding.js';
import { assertNotErasing } from '../memories/erasing.js';
import { expireDue } from '../memories/expire.js';
import { assertHarmless } from '../memories/scan.js';
import { readSettings } from '../organization/settings.js';
import { indexContent } from './draft.js';
import { assertNotTaken } from './merge.js';
import { NEEDS_EMBEDDING, type WriteDeps, writeEmbedding } from './write.js';

interface UpdateInput {
  content?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** If true, `metadata` replaces the stored metadata. Otherwise it is merged. */
  metadataReplace?: boolean | undefined;
  subjectKey?: unknown;
  /** ISO 8601; null for never. */
  expiresAt?: string | null | undefined;
}

/** The checked form of an UpdateInput. */
export interface Change {
  content?: ReadContent;
  metadata?: Metadata;
  metadataReplace: boolean;
  /** Null removes it. */
  subjectKey?: SubjectKey | null;
  expiresAt?: GivenExpiry;
}

/** A checked change that is not stored yet. */
interface PlannedChange {
  action: AuditAction;
  change: Change;
  /** Checks again, in the unit of the change, what the change is based on. */
  assertInUnit?: (unit: UnitOfWork) => Promise<void>;
}

/**
 * Changes an active memory (section 4.5). An update that changes nothing leaves no trace.
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and soft-deleted ids
 * @throws {ConflictError} if another active memory has the new content
 * @throws {ContentRejectedError}
 * @throws {StorageExceededError} if the change exceeds the storage of the plan
 * @throws {UnprocessableError} if no field is given, or one is invalid
 */
export async function updateMemory(deps: WriteDeps, caller: Caller, id: string, input: UpdateInput): Promise<Written> {
  const change = await checkChange(deps, caller, input);
  return writeChange(deps, caller, id, { action: 'memory.update', change });
}

/**
 * Writes a checked change.
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and soft-deleted ids
 * @throws {ConflictError} if another active memory has the new content
 */
export async function writeChange(
  deps: WriteDeps,
  caller: Caller,
  id: string,
  planned: PlannedChange,
): Promise<Written> {
  const { organizationId } = caller;
  const { change } = planned;
  if (change.content) requireEmbedder(deps, await readSettings(deps, caller));
  const quota = await storageQuota(deps, caller);
  await expireDue(deps, caller);
  const found = await deps.store.memories.findById(organizationId, id);
  if (!found || found.deletedAt !== undefined) throw new NotFoundError();

  const expected = expectedWrite(found, change);
  let vectors = await embedIfNew(deps, caller, found, change);
  return writeEmbedding(
    () =>
      deps.store.transact(organizationId, async (unit) => {
        await unit.expect?.({ ids: [id], writes: [expected] });
        await planned.assertInUnit?.(unit);
        return applyUpdate(deps, caller, { unit, quota }, { id, planned, vectors });
      }),
    async () => {
      vectors = await embedIfNew(deps, { organizationId }, undefined, change);
    },
  );
}

async function checkChange(deps: WriteDeps, caller: Caller, input: UpdateInput): Promise<Change> {
  const { content, metadata, subjectKey, expiresAt } = input;
  if ([content, metadata, subjectKey, expiresAt].every((given) => given === undefined)) {
    throw new UnprocessableError('Give at least one of content, metadata, subjectKey and expiresAt');
  }
  const settings = await readSettings(deps, caller);
  const change: Change = { metadataReplace: input.metadataReplace ?? false };
  const row = deps.texts.row(caller.organizationId);
  if (input.content !== undefined) {
    change.content = await row.read(await row.normalize(input.content, deps.limits.contentLength));
    requireEmbedder(deps, settings);
  }
  if (input.metadata !== undefined) change.metadata = parseMetadata(input.metadata);
  if (input.subjectKey !== undefined) change.subjectKey = parseSubjectKey(input.subjectKey, settings.subjectKeyType);
  if (input.expiresAt !== undefined) change.expiresAt = parseExpiry(input.expiresAt, deps.now());
  await assertHarmless(deps, row, {
    ...(change.content && { content: change.content.content }),
    ...(change.metadata && { metadata: change.metadata }),
  });
  return change;
}

async function embedIfNew(
  deps: WriteDeps,
  caller: Pick<Caller, 'organizationId' | 'settings'>,
  found: Memory | undefined,
  { content }: Change,
): Promise<Vectors | undefined> {
  if (!content || content.content === found?.content) return undefined;
  return embedDocument(deps, caller, content.content);
}

/** Returns what the change will read, unless another writer changed the memory meanwhile. */
function expectedWrite(found: Memory, change: Change): ExpectedWrite {
  return {
    ...placeOf(changed(found, change)),
    contentHash: change.content?.contentHash ?? hashContent(found.content),
    ...(found.externalKey !== undefined && { externalKey: found.externalKey }),
    scope: found.scope,
  };
}

async function applyUpdate(
  deps: WriteDeps,
  caller: Caller,
  { unit, quota }: { unit: UnitOfWork; quota: Pick<Quota, 'storageCap'> },
  { id, planned, vectors }: { id: string; planned: PlannedChange; vectors: Vectors | undefined },
): Promise<Written | typeof NEEDS_EMBEDDING> {
  const { action, change } = planned;
  const current = await unit.findById(id);
  if (!current || current.deletedAt !== undefined) throw new NotFoundError();
  const settings = await unit.settings();
  if (change.subjectKey != null) parseSubjectKey(change.subjectKey, settings.subjectKeyType);

  const next = changed(current, change);
  assertNotErasing(settings, current.subjectKey, next.subjectKey);
  if (isUnchanged(current, next)) return { memory: current, outcome: 'updated', untouched: true };
  await assertNotTaken(unit, next, { contentHash: hashContent(next.content) }, id);

  const newContent = next.content === current.content ? undefined : change.content;
  await new StorageMeter(unit, quota).assertRoom(current, next);
  const embedded = newContent && vectors && (await claimVectors(deps, unit, vectors));
  if (newContent && !embedded) return NEEDS_EMBEDDING;
  const memory = { ...next, updatedAt: await unit.tick() };
  if (newContent && embedded) {
    assertContentLength(memory.content, deps.limits.contentLength);
    await unit.update(memory, indexContent(newContent, embedded));
  } else {
    await unit.update(memory);
  }
  const written: Written = { memory, outcome: 'updated' };
  await afterWrite(deps, unit, caller, { action, written, metadata: change.metadata });
  return written;
}

function isUnchanged(current: Memory, next: Memory): boolean {
  return (
    next.content === current.content &&
    next.expiresAt === current.expiresAt &&
    next.subjectKey === current.subjectKey &&
    sameMetadata(next.metadata, current.metadata)
  );
}

function changed(current: Memory, { content, metadata, metadataReplace, subjectKey, expiresAt }: Change): Memory {
  const { subjectKey: formerKey = null, ...rest } = current;
  const key = subjectKey === undefined ? formerKey : subjectKey;
  const next: Memory = {
    ...rest,
    content: content?.content ?? current.content,
    ...(metadata && { metadata: metadataReplace ? metadata : mergeMetadata(current.metadata, metadata) }),
    ...(key !== null && { subjectKey: key }),
  };
  if (metadata) assertChunk(next.metadata);
  return withExpiry(next, expiresAt);
}
