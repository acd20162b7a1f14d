import {
  deleteMemories,
  deleteMemory,
  exportMemories,
  getMemory,
  getMemoryStats,
  importMemories,
  ingestMemory,
  ingestMemoryBatch,
  listMemoryChanges,
  listRecentMemories,
  listSimilarMemories,
  purgeMemory,
  restoreMemory,
  searchMemories,
  updateMemory,
  upsertMemory,
} from '../generated/sdk.gen.js';
import type {
  ActiveChange,
  BatchResponse,
  ChangesPage,
  DeletedChange,
  DeletedMemories,
  ExportedMemory,
  ImportResponse,
  Memory,
  RecentMemories,
  SearchResponse,
  SimilarMemories,
  Stats,
  WrittenMemory,
} from '../generated/types.gen.js';
import type {
  BatchInput,
  CallOptions,
  ChangesQuery,
  ExportPage,
  ExportQuery,
  ReadQuery,
  RecentQuery,
  SimilarQuery,
  StatsQuery,
} from '../options.js';
import { type ApiCall, byNextCursor, type PagedCall } from '../transport/calls.js';
import type {
  BatchItem,
  DeleteMemoriesRequest,
  ImportItem,
  IngestRequest,
  SearchRequest,
  UpdateRequest,
  UpsertRequest,
} from '../transport/requests.js';
import type { Repeat } from '../transport/retry.js';
import { type Attempt, idOf, nothing, parse, type Transport, timeOf } from '../transport/transport.js';
import { Namespaces } from './namespaces.js';

/** An entry of the change feed. Its type depends on `change`. */
export type Change = ActiveChange | DeletedChange;

/** The operations on memories. */
export abstract class MemoryOperations extends Namespaces {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Stores a memory, or merges it into an active one with the same content. With `dedupe: 'off'` and no `externalKey`
   * each call stores another memory, so the client does not retry after a response was lost.
   *
   * @example const { id } = await client.ingest({ content: 'Deploys run on Fridays.', metadata: { kind: 'note' } });
   */
  ingest(memory: IngestRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    const send = (attempt: Attempt) => ingestMemory({ ...attempt, body: memory });
    return this.#transport.call('ingestMemory', options, send, repeatOf([memory]));
  }

  /**
   * Creates or updates the memory with this external key and scope. With `dedupe: 'off'` it may have the content of
   * another memory. With `restoreDeleted` a deleted memory with this key is restored and updated.
   *
   * @example await client.upsert({ externalKey: 'page-7', content: 'Deploys run on Fridays.' });
   */
  upsert(memory: UpsertRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('upsertMemory', options, (attempt) => upsertMemory({ ...attempt, body: memory }));
  }

  /**
   * Stores many memories in one request. A rejected item does not throw: its entry in `results` has an `error`.
   *
   * @example const { results } = await client.ingestBatch({ items: [{ content: 'One.' }, { content: 'Two.' }] });
   */
  ingestBatch(batch: BatchInput, options: CallOptions = {}): ApiCall<BatchResponse> {
    const send = (attempt: Attempt) => ingestMemoryBatch({ ...attempt, body: batch });
    return this.#transport.call('ingestMemoryBatch', options, send, repeatOf(batch.items));
  }

  /**
   * Stores memories with their original ids and times. A rejected item does not throw: its entry in `results` has an
   * `error`.
   *
   * @example await client.importMemories({ items: [{ id, content: 'Old.', createdAt: '2024-05-01T09:00:00Z' }] });
   */
  importMemories(batch: { items: ImportItem[] }, options: CallOptions = {}): ApiCall<ImportResponse> {
    return this.#transport.call('importMemories', options, (attempt) => importMemories({ ...attempt, body: batch }));
  }

  /**
   * Returns the memories closest in meaning to a query.
   *
   * @example const { results } = await client.search({ query: 'When do we deploy?', filter: { kind: 'note' } });
   */
  search(search: SearchRequest, options: CallOptions = {}): ApiCall<SearchResponse> {
    return this.#transport.call('searchMemories', options, (attempt) => searchMemories({ ...attempt, body: search }));
  }

  /**
   * Returns a memory.
   *
   * @throws {NotFoundError}
   * @example const { content } = await client.get(id);
   */
  get(id: string, query: ReadQuery = {}, options: CallOptions = {}): ApiCall<Memory> {
    return this.#transport.call('getMemory', options, (attempt) =>
      getMemory({ ...attempt, path: { id: idOf(id) }, query }),
    );
  }

  /**
   * Returns the other memories closest in meaning to a memory.
   *
   * @throws {NotFoundError}
   * @example const { results } = await client.similar(id, { limit: 3 });
   */
  similar(id: string, query: SimilarQuery = {}, options: CallOptions = {}): ApiCall<SimilarMemories> {
    return this.#transport.call('listSimilarMemories', options, (attempt) =>
      listSimilarMemories({ ...attempt, path: { id: idOf(id) }, query }),
    );
  }

  /**
   * Changes the content, the metadata, the subject key or the expiry. Metadata is merged unless `metadataReplace` is
   * true.
   *
   * @throws {NotFoundError}
   * @example await client.update(id, { metadata: { reviewed: true } });
   */
  update(id: string, change: UpdateRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('updateMemory', options, (attempt) =>
      updateMemory({ ...attempt, path: { id: idOf(id) }, body: change }),
    );
  }

  /**
   * Restores a soft-deleted memory.
   *
   * @throws {ConflictError} if another memory now has its content or key
   * @example await client.restore(id);
   */
  restore(id: string, options: CallOptions = {}): ApiCall<Memory> {
    return this.#transport.call('restoreMemory', options, (attempt) =>
      restoreMemory({ ...attempt, path: { id: idOf(id) } }),
    );
  }

  /**
   * Purges a soft-deleted memory: it cannot be restored.
   *
   * @throws {ConflictError} if the memory is not deleted
   * @example await client.purge(id);
   */
  purge(id: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'purgeMemory',
      options,
      (attempt) => purgeMemory({ ...attempt, path: { id: idOf(id) } }),
      nothing,
    );
  }

  /**
   * Soft-deletes a memory; `restore` undoes it.
   *
   * @throws {NotFoundError} also if the memory is already deleted
   * @example await client.delete(id);
   */
  delete(id: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'deleteMemory',
      options,
      (attempt) => deleteMemory({ ...attempt, path: { id: idOf(id) } }),
      nothing,
    );
  }

  /**
   * Soft-deletes many memories, by ids or by filter. With a filter, one call deletes at most 5,000 memories; `remaining`
   * is the `expectedCount` of the next call.
   *
   * @throws {ConflictError} if the filter does not match `expectedCount` memories; its `count` is the actual number
   * @example await client.deleteMany({ filter: { project: 'acme' }, expectedCount: 12 });
   */
  deleteMany(request: DeleteMemoriesRequest, options: CallOptions = {}): ApiCall<DeletedMemories> {
    return this.#transport.call('deleteMemories', options, (attempt) => deleteMemories({ ...attempt, body: request }));
  }

  /**
   * Returns the newest memories.
   *
   * @example const { results } = await client.recent({ limit: 5 });
   */
  recent(query: RecentQuery = {}, options: CallOptions = {}): ApiCall<RecentMemories> {
    return this.#transport.call('listRecentMemories', options, (attempt) => listRecentMemories({ ...attempt, query }));
  }

  /**
   * Counts memories by the common metadata keys.
   *
   * @example const { meta } = await client.stats({ filter: { kind: 'note' } });
   */
  stats(query: StatsQuery = {}, options: CallOptions = {}): ApiCall<Stats> {
    return this.#transport.call('getMemoryStats', options, (attempt) => getMemoryStats({ ...attempt, query }));
  }

  /**
   * Lists the changes since a time, in the order they happened. Iterating stops at the newest change.
   *
   * @example for await (const change of client.changes({ since: '2026-01-01' })) console.log(change.id);
   */
  changes({ since, ...rest }: ChangesQuery, options: CallOptions = {}): PagedCall<ChangesPage, Change> {
    return this.#transport.list(
      {
        itemsOf: ({ changes }: ChangesPage) => changes,
        cursorAfter: ({ meta, nextCursor }) => (meta.hasMore ? nextCursor : undefined),
      },
      rest,
      (query) =>
        this.#transport.call('listMemoryChanges', options, (attempt) =>
          listMemoryChanges({ ...attempt, query: { ...query, since: timeOf(since) } }),
        ),
    );
  }

  /**
   * Lists all memories, oldest first.
   *
   * @example for await (const memory of client.export()) console.log(memory.content);
   */
  export(query: ExportQuery = {}, options: CallOptions = {}): PagedCall<ExportPage, ExportedMemory> {
    return this.#transport.list(
      byNextCursor(({ memories }: ExportPage) => memories),
      query,
      (page) =>
        this.#transport.callFor(
          'exportMemories',
          options,
          (attempt) => exportMemories({ ...attempt, query: page }),
          toExportPage,
        ),
    );
  }
}

function toExportPage(text: string, response: Response): ExportPage {
  const lines = text.split('\n').filter((line) => line !== '');
  const nextCursor = response.headers.get('X-Next-Cursor');
  return { memories: lines.map((line) => parse<ExportedMemory>(line)), ...(nextCursor !== null && { nextCursor }) };
}

/**
 * Returns `refused` if the service cannot recognize a repetition: a distinct memory without a key has no identity. A
 * caller without types may send anything, which the service rejects.
 */
function repeatOf(items: unknown): Repeat | undefined {
  if (!Array.isArray(items)) return undefined;
  const isNew = (item?: BatchItem) => item?.dedupe === 'off' && item.externalKey === undefined;
  return items.some(isNew) ? 'refused' : undefined;
}
