import { type ApiCall, byNextCursor, type PagedCall } from './calls.js';
import { type FollowOptions, type FollowQuery, follow } from './follow.js';
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
} from './generated/sdk.gen.js';
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
  SubjectKey,
  WrittenMemory,
} from './generated/types.gen.js';
import type {
  BatchInput,
  CallOptions,
  ChangesQuery,
  ExportPage,
  ExportQuery,
  MemoryClientOptions,
  ReadQuery,
  RecentQuery,
  RequestOptions,
  SimilarQuery,
  StatsQuery,
} from './options.js';
import type {
  DeleteMemoriesRequest,
  ImportItem,
  IngestRequest,
  SearchRequest,
  UpdateRequest,
  UpsertRequest,
} from './requests.js';
import { Namespaces } from './resources/namespaces.js';
import type { MemoryScope } from './scope/scope.js';
import { ScopedClient } from './scope/scoped-client.js';
import { SubjectClient } from './scope/subject-client.js';
import { idOf, nothing, parse, Transport, timeOf } from './transport.js';

/** An entry of the change feed. Its type depends on `change`. */
export type Change = ActiveChange | DeletedChange;

/**
 * Calls one Memory Service with one token.
 *
 * Every method throws a subclass of `MemoryApiError` if the service returns an error status, and a
 * `MemoryConnectionError` if it returns no valid response.
 */
export class MemoryClient extends Namespaces {
  readonly #transport: Transport;

  /** @throws {TypeError} if `baseUrl` is missing, or `token` is not a valid header value */
  constructor(options: MemoryClientOptions = {}) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
  }

  /**
   * Returns a client with other options. Those that are left out stay, and so does the session. Another `baseUrl` needs
   * its own `token`.
   */
  withOptions(options: MemoryClientOptions): MemoryClient {
    return new MemoryClient(this.#transport.optionsWith(options));
  }

  /**
   * Sends a request that no method makes, for example to an operation of a newer service. It is sent with the credential,
   * the timeouts and the retries of the client; another method than GET is only retried if the service states that it
   * did nothing. JSON is parsed, any other response is a text.
   *
   * @throws {TypeError} if the path does not start with a slash
   */
  request<T = unknown>(method: string, path: string, options: RequestOptions = {}): ApiCall<T> {
    return this.#transport.request(method, path, options);
  }

  /**
   * Returns a client of only the memories about one subject, such as a user of your application. The organization must
   * have chosen the type of its subject keys, as a local first start does.
   *
   * @throws {ScopeError} if the subject key is missing, for example because nobody is signed in
   */
  forSubject<const Key extends SubjectKey>(subjectKey: Key): SubjectClient<Key> {
    return new SubjectClient(this, subjectKey);
  }

  /** Returns a client of only the memories that have these values. @throws {ScopeError} if one is missing */
  scoped<const Bound extends MemoryScope>(
    scope: Bound & Record<Exclude<keyof Bound, keyof MemoryScope>, never>,
  ): ScopedClient<Bound> {
    return new ScopedClient<Bound>(this, scope);
  }

  /** Stores a memory, or merges it into an active one with the same content. */
  ingest(memory: IngestRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('ingestMemory', options, (attempt) => ingestMemory({ ...attempt, body: memory }));
  }

  /** Creates or updates the memory with this external key and scope. */
  upsert(memory: UpsertRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('upsertMemory', options, (attempt) => upsertMemory({ ...attempt, body: memory }));
  }

  /** Stores many memories in one request. A rejected item does not throw: its entry in `results` has an `error`. */
  ingestBatch(batch: BatchInput, options: CallOptions = {}): ApiCall<BatchResponse> {
    return this.#transport.call('ingestMemoryBatch', options, (attempt) =>
      ingestMemoryBatch({ ...attempt, body: batch }),
    );
  }

  /**
   * Stores memories with their original ids and times. A rejected item does not throw: its entry in `results` has an
   * `error`.
   */
  importMemories(batch: { items: ImportItem[] }, options: CallOptions = {}): ApiCall<ImportResponse> {
    return this.#transport.call('importMemories', options, (attempt) => importMemories({ ...attempt, body: batch }));
  }

  /** Returns the memories closest in meaning to a query. */
  search(search: SearchRequest, options: CallOptions = {}): ApiCall<SearchResponse> {
    return this.#transport.call('searchMemories', options, (attempt) => searchMemories({ ...attempt, body: search }));
  }

  /** Returns a memory. @throws {NotFoundError} */
  get(id: string, query: ReadQuery = {}, options: CallOptions = {}): ApiCall<Memory> {
    return this.#transport.call('getMemory', options, (attempt) =>
      getMemory({ ...attempt, path: { id: idOf(id) }, query }),
    );
  }

  /** Returns the other memories closest in meaning to a memory. @throws {NotFoundError} */
  similar(id: string, query: SimilarQuery = {}, options: CallOptions = {}): ApiCall<SimilarMemories> {
    return this.#transport.call('listSimilarMemories', options, (attempt) =>
      listSimilarMemories({ ...attempt, path: { id: idOf(id) }, query }),
    );
  }

  /** Changes the content, the metadata (merged unless `metadataReplace`) or the subject key. @throws {NotFoundError} */
  update(id: string, change: UpdateRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('updateMemory', options, (attempt) =>
      updateMemory({ ...attempt, path: { id: idOf(id) }, body: change }),
    );
  }

  /** Restores a soft-deleted memory. @throws {ConflictError} if another memory now has its content or key */
  restore(id: string, options: CallOptions = {}): ApiCall<Memory> {
    return this.#transport.call('restoreMemory', options, (attempt) =>
      restoreMemory({ ...attempt, path: { id: idOf(id) } }),
    );
  }

  /** Purges a soft-deleted memory: it cannot be restored. @throws {ConflictError} if it is not deleted */
  purge(id: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'purgeMemory',
      options,
      (attempt) => purgeMemory({ ...attempt, path: { id: idOf(id) } }),
      nothing,
    );
  }

  /** Soft-deletes a memory; `restore` undoes it. @throws {NotFoundError} also if it is already deleted */
  delete(id: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'deleteMemory',
      options,
      (attempt) => deleteMemory({ ...attempt, path: { id: idOf(id) } }),
      nothing,
    );
  }

  /**
   * Soft-deletes many memories, by ids or by filter.
   *
   * @throws {ConflictError} if the filter does not match `expectedCount` memories; its `count` is the actual number
   */
  deleteMany(request: DeleteMemoriesRequest, options: CallOptions = {}): ApiCall<DeletedMemories> {
    return this.#transport.call('deleteMemories', options, (attempt) => deleteMemories({ ...attempt, body: request }));
  }

  /** Returns the newest memories. */
  recent(query: RecentQuery = {}, options: CallOptions = {}): ApiCall<RecentMemories> {
    return this.#transport.call('listRecentMemories', options, (attempt) => listRecentMemories({ ...attempt, query }));
  }

  /** Counts memories by the common metadata keys. */
  stats(query: StatsQuery = {}, options: CallOptions = {}): ApiCall<Stats> {
    return this.#transport.call('getMemoryStats', options, (attempt) => getMemoryStats({ ...attempt, query }));
  }

  /** Lists the changes since a time, in the order they happened. Iterating stops at the newest change. */
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
   * Yields every change after the saved cursor, and then new changes as they happen, until `signal` aborts. Delivers
   * each change at least once.
   *
   * @throws {MemoryApiError} if the service returns an error that a retry cannot fix
   */
  follow(query: FollowQuery = {}, options: FollowOptions = {}): AsyncGenerator<Change, void, undefined> {
    return follow(this, query, options);
  }

  /** Lists all memories, oldest first. */
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
