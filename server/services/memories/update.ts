import type { Caller } from '../../domain/account/caller.js';
import { assertChunk, placeOf } from '../../domain/memory/chunk.js';
import { assertContentLength, hashContent, normalizeContent } from '../../domain/memory/content.js';
import type { Memory, Metadata, SubjectKey, Written } from '../../domain/memory/memory.js';
import { mergeMetadata, parseMetadata } from '../../domain/memory/metadata.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import { NotFoundError, UnprocessableError } from '../../errors.js';
import type { ExpectedWrite, UnitOfWork } from '../../ports/store.js';
import { readSettings } from '../organization/settings.js';
import { afterWrite } from './after-write.js';
import { indexContent, type ReadContent, readContent } from './draft.js';
import { assertSameEmbedder, claimEmbedder, embedDocument } from './embedding.js';
import { assertNotTaken } from './merge.js';
import { assertHarmless } from './scan.js';
import { NEEDS_EMBEDDING, type WriteDeps, writeEmbedding } from './write.js';

interface UpdateInput {
  content?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Whether `metadata` takes the place of the stored metadata. */
  metadataReplace?: boolean | undefined;
  subjectKey?: unknown;
}

/** The checked form of an UpdateInput. */
interface Change {
  content?: ReadContent;
  metadata?: Metadata;
  metadataReplace: boolean;
  subjectKey?: SubjectKey;
}

/**
 * Changes an active memory (section 4.5).
 *
 * @throws {NotFoundError} for unknown, foreign, malformed and soft-deleted ids
 * @throws {ConflictError} when another active memory has the new content
 * @throws {ContentRejectedError}
 * @throws {UnprocessableError} when nothing to change is given, or a field breaks the rules
 */
export async function updateMemory(deps: WriteDeps, caller: Caller, id: string, input: UpdateInput): Promise<Written> {
  const { organizationId } = caller;
  const change = await checkChange(deps, caller, input);
  const found = await deps.store.memories.findById(organizationId, id);
  if (!found || found.deletedAt !== undefined) throw new NotFoundError();

  const expected = expectedWrite(found, change);
  let embedding = await embedIfNew(deps, found, change);
  return writeEmbedding(
    () =>
      deps.store.transact(organizationId, async (unit) => {
        await unit.expect?.({ ids: [id], writes: [expected] });
        return applyUpdate(deps, caller, unit, id, change, embedding);
      }),
    async () => {
      embedding = await embedIfNew(deps, undefined, change);
    },
  );
}

async function checkChange(deps: WriteDeps, caller: Caller, input: UpdateInput): Promise<Change> {
  if (input.content === undefined && input.metadata === undefined && input.subjectKey === undefined) {
    throw new UnprocessableError('Give at least one of content, metadata and subjectKey');
  }
  const settings = await readSettings(deps, caller);
  const change: Change = { metadataReplace: input.metadataReplace ?? false };
  if (input.content !== undefined) {
    change.content = readContent(normalizeContent(input.content, deps.limits.contentLength));
    assertSameEmbedder(deps, settings);
  }
  if (input.metadata !== undefined) change.metadata = parseMetadata(input.metadata);
  if (input.subjectKey !== undefined) change.subjectKey = parseSubjectKey(input.subjectKey, settings.subjectKeyType);
  assertHarmless(deps.contentScan, {
    ...(change.content && { content: change.content.content }),
    ...(change.metadata && { metadata: change.metadata }),
  });
  return change;
}

async function embedIfNew(
  deps: WriteDeps,
  found: Memory | undefined,
  { content }: Change,
): Promise<Float32Array | undefined> {
  return !content || content.content === found?.content ? undefined : embedDocument(deps, content.content);
}

/** What the change will look for, unless the memory is another one by then. */
function expectedWrite(found: Memory, change: Change): ExpectedWrite {
  const { contentHash, wordsHash } = change.content ?? readContent(found.content);
  return {
    ...placeOf(changed(found, change)),
    contentHash,
    wordsHash,
    ...(found.externalKey !== undefined && { externalKey: found.externalKey }),
    scope: found.scope,
  };
}

async function applyUpdate(
  deps: WriteDeps,
  caller: Caller,
  unit: UnitOfWork,
  id: string,
  change: Change,
  embedding: Float32Array | undefined,
): Promise<Written | typeof NEEDS_EMBEDDING> {
  const current = await unit.findById(id);
  if (!current || current.deletedAt !== undefined) throw new NotFoundError();
  if (change.subjectKey !== undefined) parseSubjectKey(change.subjectKey, (await unit.settings()).subjectKeyType);

  const next = changed(current, change);
  await assertNotTaken(unit, placeOf(next), { contentHash: hashContent(next.content) }, id);

  const newContent = next.content === current.content ? undefined : change.content;
  if (newContent && !embedding) return NEEDS_EMBEDDING;
  const memory = { ...next, updatedAt: await unit.tick() };
  if (newContent && embedding) {
    assertContentLength(memory.content, deps.limits.contentLength);
    await claimEmbedder(deps, unit);
    await unit.update(memory, indexContent(newContent, embedding, deps.embedder.fingerprint));
  } else {
    await unit.update(memory);
  }
  const written: Written = { memory, outcome: 'updated' };
  await afterWrite(deps, unit, caller, { action: 'memory.update', written, metadata: change.metadata });
  return written;
}

function changed(current: Memory, { content, metadata, metadataReplace, subjectKey }: Change): Memory {
  const next: Memory = {
    ...current,
    content: content?.content ?? current.content,
    ...(metadata && { metadata: metadataReplace ? metadata : mergeMetadata(current.metadata, metadata) }),
    ...(subjectKey !== undefined && { subjectKey }),
  };
  if (metadata) assertChunk(next.metadata);
  return next;
}
