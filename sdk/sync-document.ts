import { type ChunkOptions, chunkDocument, type DocumentChunk } from './chunk-document.js';
import type { MemoryClient } from './client.js';
import { defaultLimits, exportMemoriesBounds } from './generated/constants.gen.js';
import type { BatchItem, BatchResponse, SubjectKey, UpsertRequest } from './generated/types.gen.js';
import type { CallOptions } from './options.js';

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
 * that a paragraph at the top does not make all chunks below it new ones.
 *
 * @throws {DocumentSyncError} when the service refuses chunks
 * @throws {ForbiddenError} when chunks must be deleted and the token lacks `memory:admin`
 */
export async function syncDocument(
  client: Pick<MemoryClient, 'ingest' | 'ingestBatch' | 'export' | 'delete'>,
  { text, metadata, subjectKey, batchItems = defaultLimits.batchItems, ...chunking }: DocumentInput,
  options: CallOptions = {},
): Promise<SyncedDocument> {
  const { documentId } = chunking;
  const chunks = chunkDocument(text, chunking);
  const items = await Promise.all(
    chunks.map(async (chunk) => ({
      content: chunk.content,
      externalKey: await keyOf(chunk),
      metadata: { ...metadata, ...chunk.metadata },
      ...(subjectKey !== undefined && { subjectKey }),
    })),
  );

  const synced = { documentId, chunkTotal: chunks.length, created: 0, kept: 0, deleted: 0 };
  const failures: ChunkFailure[] = [];
  for (let first = 0; first < items.length; first += batchItems) {
    const batch = items.slice(first, first + batchItems);
    const { results } = await client.ingestBatch({ items: batch }, options);
    for (const result of results) {
      const outcome = await outcomeOf(client, result, batch[result.index], options);
      if (outcome === 'created') synced.created += 1;
      else if (typeof outcome === 'string') synced.kept += 1;
      else failures.push({ chunkIndex: first + result.index, ...outcome });
    }
  }
  if (failures.length > 0) throw new DocumentSyncError(documentId, failures);

  synced.deleted = await deleteOthers(
    client,
    documentId,
    new Set(items.map(({ externalKey }) => externalKey)),
    options,
  );
  return synced;
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

async function deleteOthers(
  client: Pick<MemoryClient, 'export' | 'delete'>,
  documentId: string,
  current: ReadonlySet<string>,
  options: CallOptions,
): Promise<number> {
  const gone: string[] = [];
  const stored = client.export({ filter: { documentId }, limit: exportMemoriesBounds.limit.maximum }, options);
  for await (const { id, externalKey } of stored) {
    if (externalKey?.startsWith(`${documentId}#`) && !current.has(externalKey)) gone.push(id);
  }
  for (const id of gone) await client.delete(id, options);
  return gone.length;
}

async function keyOf({ content, metadata }: DocumentChunk): Promise<UpsertRequest['externalKey']> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  const hex = Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, '0'));
  return `${metadata.documentId}#${hex.join('')}`;
}
