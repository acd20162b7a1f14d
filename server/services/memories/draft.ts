import type { Deps } from '../../deps.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import { assertChunk, chunkIdentity } from '../../domain/memory/chunk.js';
import { assertContentLength, hashContent, normalizeContent } from '../../domain/memory/content.js';
import { splitTokens } from '../../domain/memory/fold.js';
import type { Memory, Metadata, Scope, SubjectKey } from '../../domain/memory/memory.js';
import { NO_SCOPE } from '../../domain/memory/memory.js';
import { parseMetadata } from '../../domain/memory/metadata.js';
import { type Fact, readFact } from '../../domain/memory/near-duplicate.js';
import { parseExternalKey, parseScope } from '../../domain/memory/scope.js';
import { parseSubjectKey } from '../../domain/memory/subject-key.js';
import { hashWords } from '../../domain/memory/words.js';
import type { Indexed } from '../../ports/store.js';
import { assertHarmless } from './scan.js';

/** What a caller may say of a memory when writing it (sections 4.1 to 4.3). */
export interface MemoryInput {
  content: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  externalKey?: string | undefined;
  scope?: { source?: string; project?: string } | undefined;
  subjectKey?: unknown;
}

/** What a content is looked up and compared by. Made before the transaction: it takes time in proportion to the length. */
export type ReadContent = Fact & Pick<Indexed, 'contentHash' | 'wordsHash'>;

/** A memory to write, checked and normalized, before the store has been looked at. */
export interface Draft extends ReadContent {
  metadata: Metadata;
  externalKey?: string;
  scope: Scope;
  subjectKey?: SubjectKey;
  /** `chunkIdentity` of the metadata. */
  chunk: string | undefined;
}

/**
 * Checks a memory against the write-time rules (section 2.2), then scans it (part 7).
 *
 * @throws {UnprocessableError}
 * @throws {ContentRejectedError}
 */
export function draftMemory(
  { limits, contentScan }: Pick<Deps, 'limits' | 'contentScan'>,
  settings: OrganizationSettings,
  input: MemoryInput,
): Draft {
  const content = normalizeContent(input.content, limits.contentLength);
  const metadata = parseMetadata(input.metadata ?? {});
  assertChunk(metadata);
  const draft: Draft = {
    ...readContent(content),
    metadata,
    chunk: chunkIdentity(metadata),
    scope: input.scope === undefined ? NO_SCOPE : parseScope(input.scope),
  };
  if (input.externalKey !== undefined) draft.externalKey = parseExternalKey(input.externalKey);
  if (input.subjectKey !== undefined) draft.subjectKey = parseSubjectKey(input.subjectKey, settings.subjectKeyType);
  assertHarmless(contentScan, { content, metadata });
  return draft;
}

export function readContent(content: string): ReadContent {
  const tokens = splitTokens(content);
  return { ...readFact(content, tokens), contentHash: hashContent(content), wordsHash: hashWords(content, tokens) };
}

/** The new memory of a draft. Checks the length once more, as the last thing before it is stored. */
export function newMemory(
  deps: Pick<Deps, 'newId' | 'limits'>,
  organizationId: string,
  draft: Draft,
  at: number,
): Memory {
  assertContentLength(draft.content, deps.limits.contentLength);
  return {
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
}

/** What the store looks a content up by. */
export function indexContent(
  { contentHash, wordsHash, foldHash }: ReadContent,
  embedding: Float32Array,
  fingerprint: string,
): Indexed {
  return { contentHash, wordsHash, foldHash, embedding, fingerprint };
}
