import type { Document, UpdateFilter } from 'mongodb';
import { chunkIdentity, documentIdOf } from '../../../domain/documents/chunk.js';
import { facetsOfMemory, parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import { valuesOf } from '../../../domain/filter/metadata-values.js';
import { ownHash, plainHash } from '../../../domain/memory/distinct.js';
import type { Memory, Metadata } from '../../../domain/memory/memory.js';
import type { Indexed } from '../../../ports/unit-of-work.js';
import type { MemoryDocument } from './collections.js';
import type { OrganizationState } from './organization-state.js';
import { toEmbedding } from './vectors.js';

/** The fields that a memory is read from: all but those for indexes. */
export const MEMORY_FIELDS = {
  _id: 1,
  createdAt: 1,
  updatedAt: 1,
  deletedAt: 1,
  expiresAt: 1,
  distinct: 1,
  subject: 1,
  externalKey: 1,
  source: 1,
  project: 1,
  metadata: 1,
  content: 1,
} as const;
export type MemoryFields = Pick<MemoryDocument, keyof typeof MEMORY_FIELDS>;

/** Projects `MEMORY_FIELDS` with a cut content, and its whole length. */
export function previewFields(characters: number): Document {
  const content = { $substrCP: ['$content', 0, characters] };
  return { ...MEMORY_FIELDS, content, contentLength: { $strLenCP: '$content' } };
}

/** The fields that a change of a memory depends on. */
export const STORED_FIELDS = {
  ...MEMORY_FIELDS,
  live: 1,
  chunk: 1,
  words: 1,
  contentHash: 1,
  wordsHash: 1,
  foldHash: 1,
  versions: 1,
} as const;
export type StoredFields = Pick<MemoryDocument, keyof typeof STORED_FIELDS>;

/** The fields that are derived from the content of a memory. */
type ContentFields = ReturnType<typeof contentFields>;

/** Separates the id of a memory from the id of its organization, if another organization has the same memory id. */
const SEPARATOR = '@';

/** Returns the memory id of a document id. */
export function idOf(documentId: string): string {
  return documentId.split(SEPARATOR, 1)[0] ?? documentId;
}

/** Returns the ids that the document of a memory may have. The second one is for imports: see `insert`. */
export function documentIdsOf(organizationId: string, id: string): string[] {
  return id.includes(SEPARATOR) ? [] : [id, id + SEPARATOR + organizationId];
}

/** Returns a text that sorts after each document id of a memory, and before those of all later memory ids. */
export function endOfDocumentIds(id: string): string {
  return `${id}${SEPARATOR}~`;
}

export function toMemory(organizationId: string, document: MemoryFields): Memory {
  const subjectKey = parseSubjectText(document.subject);
  return {
    id: idOf(document._id),
    organizationId,
    content: document.content,
    metadata: JSON.parse(document.metadata) as Metadata,
    ...(document.externalKey !== undefined && { externalKey: document.externalKey }),
    scope: { source: document.source, project: document.project },
    ...(subjectKey !== undefined && { subjectKey }),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    ...(document.deletedAt !== undefined && { deletedAt: document.deletedAt }),
    ...(document.expiresAt !== undefined && { expiresAt: document.expiresAt }),
    ...(document.distinct && { distinct: true }),
  };
}

/** The slots of an organization; see `OrganizationState`. */
export type Slots = Pick<OrganizationState, 'searchedSlot' | 'otherSlot'>;

export function toDocument(memory: Memory, indexed: Indexed, indexedAt: Date, slots: Slots): MemoryDocument {
  return {
    _id: memory.id,
    org: memory.organizationId,
    ...stateOf(memory),
    facets: facetsOfMemory(memory),
    values: valuesOf(memory.metadata),
    createdAt: memory.createdAt,
    ...contentFields(memory, indexed, slots),
    indexedAt,
    indexedAtB: indexedAt,
  };
}

/** Returns the update that turns a stored memory into the given one. `content` is set if the content is new. */
export function toUpdate(
  memory: Memory,
  content: ContentFields | undefined,
  indexedAt: Date,
): UpdateFilter<MemoryDocument> {
  const state = stateOf(memory);
  const absent = [
    ...OPTIONAL.filter((field) => state[field] === undefined),
    ...(content && content.fingerprintB === undefined ? ['fingerprintB'] : []),
  ].map((field) => [field, true as const]);
  return {
    $set: {
      ...state,
      facets: facetsOfMemory(memory),
      values: valuesOf(memory.metadata),
      ...content,
      indexedAt,
      indexedAtB: indexedAt,
    },
    ...(absent.length > 0 && { $unset: Object.fromEntries(absent) }),
  };
}

/** Applies `toUpdate` to a stored memory. */
export function updatedFields(stored: StoredFields, memory: Memory, content?: ContentFields): StoredFields {
  const { deletedAt: _, expiresAt: __, distinct: ___, externalKey: ____, chunk: _____, ...rest } = stored;
  return { ...rest, ...stateOf(memory), ...(content ?? changedHashes(stored, memory)) };
}

/** Returns the hashes of a memory that becomes distinct, or ceases to be. Empty if they stay the same. */
export function changedHashes(
  stored: Pick<StoredFields, 'contentHash' | 'wordsHash'>,
  memory: Memory,
): Partial<Pick<MemoryDocument, 'contentHash' | 'wordsHash'>> {
  const [contentHash, wordsHash] = [stored.contentHash, stored.wordsHash].map((own) => ownHash(plainHash(own), memory));
  return contentHash === stored.contentHash ? {} : { contentHash, wordsHash };
}

/** Fields that a document lacks if the memory has no such value. */
const OPTIONAL = ['deletedAt', 'expiresAt', 'distinct', 'externalKey', 'chunk', 'document'] as const;

function stateOf(memory: Memory) {
  const { deletedAt, expiresAt, distinct, externalKey } = memory;
  const chunk = chunkIdentity(memory.metadata);
  const document = documentIdOf(memory.metadata);
  return {
    live: deletedAt === undefined,
    updatedAt: memory.updatedAt,
    ...(deletedAt !== undefined && { deletedAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(distinct && { distinct }),
    ...(externalKey !== undefined && { externalKey }),
    ...(chunk !== undefined && { chunk }),
    ...(document !== undefined && { document }),
    subject: subjectText(memory.subjectKey),
    source: memory.scope.source,
    project: memory.scope.project,
    metadata: JSON.stringify(memory.metadata),
  };
}

/** The fields of the words that a content is found by. */
export function termFields(terms: readonly string[]): Pick<MemoryDocument, 'terms' | 'times' | 'words'> {
  const times = new Map<string, number>();
  for (const word of terms) times.set(word, (times.get(word) ?? 0) + 1);
  return { terms: [...times.keys()], times: [...times.values()], words: terms.length };
}

export function contentFields(
  memory: Memory,
  { contentHash, wordsHash, foldHash, terms, embedding, fingerprint, pending }: Indexed,
  { searchedSlot, otherSlot }: Slots,
): Pick<
  MemoryDocument,
  | 'content'
  | 'contentHash'
  | 'wordsHash'
  | 'foldHash'
  | 'terms'
  | 'times'
  | 'words'
  | 'embedding'
  | 'fingerprint'
  | 'fingerprintB'
> {
  return {
    content: memory.content,
    contentHash: ownHash(contentHash, memory),
    wordsHash: ownHash(wordsHash, memory),
    foldHash,
    ...termFields(terms),
    embedding: { ...toEmbedding(embedding, searchedSlot), ...(pending && toEmbedding(pending.embedding, otherSlot)) },
    // The first field is never absent: servers of an earlier release may use the same database.
    fingerprint: '',
    [searchedSlot.fingerprint]: fingerprint,
    ...(pending && { [otherSlot.fingerprint]: pending.fingerprint }),
  };
}
