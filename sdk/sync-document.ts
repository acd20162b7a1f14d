import { type ChunkOptions, chunkDocument, type DocumentChunk } from './chunk-document.js';
import type { MemoryClient } from './client.js';
import { NotFoundError } from './errors.js';
import { defaultLimits, exportMemoriesBounds } from './generated/constants.gen.js';
import type { BatchItem, BatchResponse, Document, SubjectKey, UpsertRequest } from './generated/types.gen.js';
import type { CallOptions, DocumentQuery } from './options.js';

export interface DocumentInput extends ChunkOptions {
  text: string;
  /** Put on every chunk. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  subjectKey?: SubjectKey | undefined;
  /** How many chunks to send at once. Default: 50, which is what the service takes unless set otherwise. */
  batchItems?: number | undefined;
}

export interface SyncedDocument {
  documentId: string;
  chunkTotal: number;
  /** Chunks that were not there. */
  created: number;
  /** Chunks that were there already, perhaps in another place. */
  kept: number;
  /** Chunks of an earlier version that are no longer in the document. */
  deleted: number;
}

/** Why a chunk was refused. */
export interface ChunkFailure {
  chunkIndex: number;
  code: string;
  message: string;
}

/** Some chunks of a document were refused; those of an earlier version are still there. */
export class DocumentSyncError extends Error {
  override name = 'DocumentSyncError';

  constructor(
    readonly documentId: string,
    readonly failures: readonly ChunkFailure[],
  ) {
    const reasons = new Set(failures.map(({ code, message }) => `${code}: ${message}`));
    super(`${failures.length} chunks of ${documentId} were refused (${[...reasons].join('; ')})`);
  }
}

/**
 * Brings what the service holds of a document to this version of it: stores
 * the chunks that are new, renumbers those that moved and deletes those that
 * are gone. Sending the same version again changes nothing; breaking off
 * midway leaves the rest to the next time.
 *
 * Each chunk has the external key `<documentId>#<digest of its content>`, so
 * that a paragraph at the top does not make all chunks below it new ones. A
 * content that is there several times has `.2`, `.3` and so on after it.
 *
 * @throws {DocumentSyncError} when the service refuses chunks
 * @throws {ForbiddenError} when chunks must be deleted and the token lacks `memory:admin`
 */
export async function syncDocument(
  client: SyncClient,
  { text, metadata, subjectKey, batchItems = defaultLimits.batchItems, ...chunking }: DocumentInput,
  options: CallOptions = {},
): Promise<SyncedDocument> {
  const { documentId } = chunking;
  const chunks = chunkDocument(text, chunking);
  const keys = await keysOf(chunks);
  const items = chunks.map((chunk, chunkIndex) => ({
    chunkIndex,
    content: chunk.content,
    externalKey: keys[chunkIndex],
    metadata: { ...metadata, ...chunk.metadata },
    ...(subjectKey !== undefined && { subjectKey }),
  }));
  const synced = { documentId, chunkTotal: chunks.length, created: 0, kept: 0, deleted: 0 };
  const send = (some: readonly ChunkItem[]) => sendItems(client, some, { batchItems, synced }, options);
  const deleteThose = (those: Omit<Leftovers, 'keys'>) =>
    deleteLeftovers(client, documentId, { ...those, keys: new Set(keys) }, options);

  let refused = await send(items);
  // Equal chunks that moved down stood in each other's way: the last of them goes first.
  if (refused.some(isInTheWay)) refused = await sendAgain(refused, send);
  if (refused.length > 0 && refused.every(isInTheWay)) {
    // There are fewer of them than before: those that are gone may stand in the way.
    const of = new Set(refused.map(({ item }) => contentOfKey(item.externalKey)));
    synced.deleted = await deleteThose({ subjectKey, of });
    if (synced.deleted > 0) refused = await sendAgain(refused, send);
  }
  if (refused.length > 0) {
    const failures = refused.map(({ item, code, message }) => ({ chunkIndex: item.chunkIndex, code, message }));
    throw new DocumentSyncError(documentId, failures);
  }
  const stored = await findDocument(client, documentId, { subjectKey, from: chunks.length }, options);
  if (stored?.memories !== chunks.length)
    synced.deleted += await deleteThose({ subjectKey: stored?.subjectKey ?? subjectKey });
  return synced;
}

/** Without content, from beyond the end of the document. Undefined for a name that no path can have. */
async function findDocument(
  { documents }: Pick<MemoryClient, 'documents'>,
  documentId: string,
  query: DocumentQuery,
  options: CallOptions,
): Promise<Pick<Document, 'memories' | 'subjectKey'> | undefined> {
  try {
    return await documents.get(documentId, query, options);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

type SyncClient = Pick<MemoryClient, 'ingest' | 'ingestBatch' | 'export' | 'deleteMany' | 'documents'>;

type ChunkItem = BatchItem & { chunkIndex: number };

interface Refusal {
  item: ChunkItem;
  code: string;
  message: string;
}

function isInTheWay({ code }: Refusal): boolean {
  return code === 'content_conflict';
}

/** Sends what was refused for what is in its way, the last first; the rest stays refused. */
async function sendAgain(
  refused: readonly Refusal[],
  send: (items: readonly ChunkItem[]) => Promise<Refusal[]>,
): Promise<Refusal[]> {
  const again = refused.filter(isInTheWay).map(({ item }) => item);
  const others = refused.filter((refusal) => !isInTheWay(refusal));
  return [...others, ...(await send(again.reverse()))].sort((a, b) => a.item.chunkIndex - b.item.chunkIndex);
}

/** Sends chunks in their order and counts them. */
async function sendItems(
  client: SyncClient,
  items: readonly ChunkItem[],
  { batchItems, synced }: { batchItems: number; synced: SyncedDocument },
  options: CallOptions,
): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  for (let first = 0; first < items.length; first += batchItems) {
    const batch = items.slice(first, first + batchItems);
    const sent = batch.map(({ chunkIndex: _, ...item }) => item);
    const { results } = await client.ingestBatch({ items: sent }, options);
    for (const result of results) {
      const item = batch[result.index];
      const outcome = await outcomeOf(client, result, sent[result.index], options);
      if (outcome === 'created') synced.created += 1;
      else if (typeof outcome === 'string') synced.kept += 1;
      else if (item) refused.push({ item, ...outcome });
    }
  }
  return refused;
}

/** What became of a chunk. One that an earlier version had, and a later one had not, is stored anew. */
async function outcomeOf(
  client: Pick<MemoryClient, 'ingest'>,
  result: BatchResponse['results'][number],
  item: BatchItem | undefined,
  options: CallOptions,
): Promise<string | { code: string; message: string }> {
  if (!('error' in result)) return result.outcome;
  if (result.error.code !== 'not_found' || item === undefined) return result.error;
  const { outcome, externalKey } = await client.ingest(item, options);
  if (externalKey === item.externalKey) return outcome;
  return { code: 'content_conflict', message: 'another memory has the same content' };
}

/** Chunks of an earlier version. */
interface Leftovers {
  /** Whom or what the document is about: another subject may have one of the same id. */
  subjectKey: SubjectKey | undefined;
  /** The keys that stay. */
  keys: ReadonlySet<string>;
  /** The `contentOfKey` of those that go. Default: any. */
  of?: ReadonlySet<string>;
}

async function deleteLeftovers(
  client: Pick<MemoryClient, 'export' | 'deleteMany'>,
  documentId: string,
  { subjectKey, keys, of }: Leftovers,
  options: CallOptions,
): Promise<number> {
  const gone: string[] = [];
  const limit = exportMemoriesBounds.limit.maximum;
  for await (const memory of client.export({ filter: { documentId }, limit }, options)) {
    const { externalKey = '' } = memory;
    if (memory.subjectKey !== subjectKey || !externalKey.startsWith(`${documentId}#`) || keys.has(externalKey))
      continue;
    if (!of || of.has(contentOfKey(externalKey))) gone.push(memory.id);
  }
  let deleted = 0;
  for (let first = 0; first < gone.length; first += limit) {
    deleted += (await client.deleteMany({ ids: gone.slice(first, first + limit) }, options)).deleted;
  }
  return deleted;
}

async function keysOf(chunks: readonly DocumentChunk[]): Promise<string[]> {
  const times = new Map<string, number>();
  const first = await Promise.all(chunks.map(keyOf));
  return first.map((key) => {
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return time === 1 ? key : `${key}.${time}`;
  });
}

/** A key without the number of the time that its content is there. */
function contentOfKey(key = ''): string {
  return key.replace(/\.\d+$/, '');
}

async function keyOf({ content, metadata }: DocumentChunk): Promise<UpsertRequest['externalKey']> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  const hex = Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, '0'));
  return `${metadata.documentId}#${hex.join('')}`;
}
