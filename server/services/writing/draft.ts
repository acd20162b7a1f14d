import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import { assertChunk, chunkIdentity } from '../../domain/documents/chunk.js';
import { invalid } from '../../domain/invalid.js';
import { type GivenDedupe, type Owner, ownHash, withDedupe } from '../../domain/memory/distinct.js';
import { type GivenExpiry, parseExpiry, withExpiry } from '../../domain/memory/expiry.js';
import type { Memory, Metadata, Scope, SubjectKey } from '../../domain/memory/memory.js';
import { NO_SCOPE } from '../../domain/memory/memory.js';
import { parseMetadata } from '../../domain/memory/metadata.js';
import { parseExternalKey, parseScope } from '../../domain/memory/scope.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import type { Within } from '../../domain/memory/within.js';
import type { ReadContent } from '../../domain/retrieval/read-content.js';
import { assertContentLength, hashContent } from '../../domain/text/content.js';
import type { TextRow } from '../../ports/text-work.js';
import type { ExpectedWrite, Indexed } from '../../ports/unit-of-work.js';
import type { Vectors } from '../memories/embedding.js';
import { assertHarmless } from '../memories/scan.js';

/** The fields of a memory that a caller may set (sections 4.1 to 4.3). */
export interface MemoryInput {
  content: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  externalKey?: string | undefined;
  scope?: { source?: string; project?: string } | undefined;
  subjectKey?: unknown;
  /** ISO 8601; null for never. */
  expiresAt?: string | null | undefined;
  dedupe?: GivenDedupe;
  /** If true, a write under the key of a deleted memory restores that memory first. */
  restoreDeleted?: boolean | undefined;
}

/** A memory to write, checked and normalized, before the store is read. */
export interface Draft extends Pick<ReadContent, 'content' | 'contentHash'> {
  metadata: Metadata;
  externalKey?: string;
  scope: Scope;
  subjectKey?: SubjectKey;
  /** `chunkIdentity` of the metadata. */
  chunk: string | undefined;
  expiresAt?: GivenExpiry;
  dedupe?: GivenDedupe;
  /** Set if the write may restore a deleted memory: who does so. */
  restorer?: Pick<Caller, 'abilities'>;
  /** The memories that the write may change. Undefined for all. */
  within?: Within | undefined;
}

/**
 * The values of a content that is not stored yet. They take most of the work of a write, so they are computed before the
 * transaction, and not for a content that is stored.
 */
export interface NewContent {
  read: ReadContent;
  vectors: Vectors;
}

/**
 * Checks a memory against the write-time rules (section 2.2), then scans it (section 7).
 *
 * @param row queue in which the work on its texts waits
 * @param by the sender, and the memories that the write may change
 * @throws {UnprocessableError}
 * @throws {ContentRejectedError}
 * @throws {ShareExceededError} if too many long contents wait
 */
export async function draftMemory(
  deps: Pick<Deps, 'limits' | 'contentScan' | 'now'>,
  settings: OrganizationSettings,
  input: MemoryInput,
  row: TextRow,
  { within, abilities }: Partial<Pick<Caller, 'within' | 'abilities'>> = {},
): Promise<Draft> {
  const content = await row.normalize(input.content, deps.limits.contentLength);
  const metadata = parseMetadata(input.metadata ?? {});
  assertChunk(metadata);
  const draft: Draft = {
    content,
    contentHash: hashContent(content),
    metadata,
    chunk: chunkIdentity(metadata),
    scope: input.scope === undefined ? NO_SCOPE : parseScope(input.scope),
    ...(within && { within }),
  };
  if (input.externalKey !== undefined) draft.externalKey = parseExternalKey(input.externalKey);
  if (input.subjectKey !== undefined) draft.subjectKey = parseSubjectKey(input.subjectKey, settings.subjectKeyType);
  if (input.expiresAt !== undefined) draft.expiresAt = parseExpiry(input.expiresAt, deps.now());
  if (input.dedupe !== undefined) draft.dedupe = input.dedupe;
  if (input.restoreDeleted) {
    if (input.externalKey === undefined) throw invalid('restoreDeleted', 'requires an externalKey');
    draft.restorer = { abilities: abilities ?? [] };
  }
  await assertHarmless(deps, row, draft);
  return draft;
}

/** Returns the new memory of a draft. It checks the length again, directly before storing. */
export function newMemory(
  deps: Pick<Deps, 'newId' | 'limits'>,
  organizationId: string,
  draft: Draft,
  at: number,
): Memory {
  assertContentLength(draft.content, deps.limits.contentLength);
  const memory: Memory = {
    id: deps.newId(),
    organizationId,
    content: draft.content,
    metadata: draft.metadata,
    ...(draft.externalKey !== undefined && { externalKey: draft.externalKey }),
    scope: draft.scope,
    ...(draft.subjectKey !== undefined && { subjectKey: draft.subjectKey }),
    createdAt: at,
    updatedAt: at,
  };
  return withDedupe(withExpiry(memory, draft.expiresAt), draft.dedupe);
}

/** Returns the subject and the hash by which a store has the memory that a draft repeats. */
export function repeatedBy(draft: Draft): Pick<ExpectedWrite, 'subjectKey' | 'contentHash'> {
  const { subjectKey, contentHash, externalKey, scope, dedupe } = draft;
  const owner: Owner = { scope };
  if (externalKey !== undefined) owner.externalKey = externalKey;
  if (dedupe === 'off') owner.distinct = true;
  return { subjectKey, contentHash: ownHash(contentHash, owner) };
}

/** Returns what the write of a draft will read. If its content is stored already, it looks up no near-duplicates. */
export function expectedWrite(draft: Draft, read: ReadContent | undefined): ExpectedWrite {
  const { contentHash, scope, subjectKey, chunk, externalKey } = draft;
  const write: ExpectedWrite = { contentHash, scope, subjectKey, chunk };
  if (externalKey !== undefined) write.externalKey = externalKey;
  if (read) write.wordsHash = read.wordsHash;
  if (read?.formerWordsHash !== undefined) write.formerWordsHash = read.formerWordsHash;
  return write;
}

/** Returns the keys by which the store finds a content. */
export function indexContent(
  { contentHash, wordsHash, foldHash, terms }: ReadContent,
  embedded: Pick<Indexed, 'embedding' | 'fingerprint' | 'pending'>,
): Indexed {
  return { contentHash, wordsHash, foldHash, terms, ...embedded };
}
