import type { MemoryClient } from '../client.js';
import { NotFoundError } from '../errors.js';
import { defaultLimits, exportMemoriesBounds } from '../generated/constants.gen.js';
import type { BatchResponse, Document, SubjectKey } from '../generated/types.gen.js';
import type { CallOptions, DocumentQuery } from '../options.js';
import type { BatchItem, UpsertRequest } from '../transport/requests.js';
import { type ChunkOptions, chunkDocument, type DocumentChunk } from './chunk-document.js';

export interface DocumentInput extends ChunkOptions {
  text: string;
  /** Metadata of every chunk. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  subjectKey?: SubjectKey | undefined;
  /** How many chunks to send in one request. Default: 50, the limit of a default deployment. */
  batchItems?: number | undefined;
}

export interface SyncedDocument {
  documentId: string;
  chunkTotal: number;
  /** Chunks that are new. */
  created: number;
  /** Chunks that existed already, perhaps at another index. */
  kept: number;
  /** Chunks of an earlier revision that are no longer in the document. */
  deleted: number;
}

/** A chunk that was rejected, with the reason. */
export interface ChunkFailure {
  chunkIndex: number;
  code: string;
  message: string;
}

/** Some chunks of a document were rejected. Those of an earlier revision were not deleted. */
export class DocumentSyncError extends Error {
  override name = 'DocumentSyncError';

  constructor(
    readonly documentId: string,
    readonly failures: readonly ChunkFailure[],
  ) {
    const reasons = new Set(failures.map(({ code, message }) => `${code}: ${message}`));
    const rejected = failures.length === 1 ? '1 chunk' : `${failures.length} chunks`;
    super(
      `${rejected} of ${documentId} ${failures.length === 1 ? 'was' : 'were'} rejected (${[...reasons].join('; ')})`,
    );
  }
}

/**
 * Updates the stored document to this revision: stores new chunks, renumbers moved ones and deletes the rest. Repeating a
 * call changes nothing. After an interruption, the same call completes the update.
 *
 * Each chunk has the external key `<documentId>#<digest of its content>`, so a new paragraph at the top does not create
 * all later chunks again. The keys of further chunks with equal content end in `.2`, `.3` and so on.
 *
 * @throws {DocumentSyncError} if the service rejects chunks
 * @throws {ForbiddenError} if chunks must be deleted and the token lacks `memory:admin`
 * @example const { created, deleted } = await syncDocument(client, { documentId: 'handbook', text });
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
  // Equal chunks that moved down conflict with each other, unless the last is sent first.
  if (refused.some(isInTheWay)) refused = await sendAgain(refused, send);
  if (refused.length > 0 && refused.every(isInTheWay)) {
    // The document has fewer equal chunks than before, so leftovers may conflict.
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

/** Reads a document from beyond its end, so without content. Returns undefined if no path can contain its id. */
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

/** Retries the chunks that conflicted, the last first. Returns all that are still rejected. */
async function sendAgain(
  refused: readonly Refusal[],
  send: (items: readonly ChunkItem[]) => Promise<Refusal[]>,
): Promise<Refusal[]> {
  const again = refused.filter(isInTheWay).map(({ item }) => item);
  const others = refused.filter((refusal) => !isInTheWay(refusal));
  return [...others, ...(await send(again.reverse()))].sort((a, b) => a.item.chunkIndex - b.item.chunkIndex);
}

/** Sends chunks in order, counts the stored ones and returns the rejected ones. */
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

/** Returns the outcome of a chunk. Stores it again if its key belongs to a deleted chunk of an earlier revision. */
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

/** Selects chunks of an earlier revision. */
interface Leftovers {
  /** The subject of the document. Another subject may have a document with the same id. */
  subjectKey: SubjectKey | undefined;
  /** The keys to keep. */
  keys: ReadonlySet<string>;
  /** The `contentOfKey` of the chunks to delete. Default: any. */
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

/** Removes the number that tells equal contents apart. */
function contentOfKey(key = ''): string {
  return key.replace(/\.\d+$/, '');
}

async function keyOf({ content, metadata }: DocumentChunk): Promise<UpsertRequest['externalKey']> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  const hex = Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, '0'));
  return `${metadata.documentId}#${hex.join('')}`;
}
