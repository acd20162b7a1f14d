import type { MemoryClient } from '../client.js';
import { notFound } from '../errors.js';
import type { FollowOptions, FollowQuery } from '../follow.js';
import type {
  BatchResponse,
  BrowsedMemory,
  ChangesPage,
  DeletedChange,
  DeletedMemories,
  ExportedMemory,
  MemoriesPage,
  Memory,
  MemoryCounts,
  RecentMemories,
  SearchResponse,
  SearchResult,
  SimilarMemories,
  Stats,
  WrittenMemory,
} from '../generated/types.gen.js';
import type {
  BatchInput,
  BrowseQuery,
  CallOptions,
  ChangesQuery,
  CountQuery,
  ExportPage,
  ExportQuery,
  ReadQuery,
  RecentQuery,
  SimilarQuery,
  StatsQuery,
} from '../options.js';
import type { Change } from '../resources/memories.js';
import { type Answer, type ApiCall, type PagedCall, toApiCall, toPagedCall } from '../transport/calls.js';
import type { BatchItem, IngestRequest, SearchRequest, UpdateRequest, UpsertRequest } from '../transport/requests.js';
import { Binding, type Filtered, type InScope, type MemoryScope, type Unbound } from './scope.js';

/** A response whose memories have the values of a scope. */
type Found<Response, Read, Bound> = Omit<Response, 'results'> & { results: InScope<Read, Bound>[] };

/** A page whose memories have the values of a scope. */
type FoundPage<Page, Read, Bound> = Omit<Page, 'memories'> & { memories: InScope<Read, Bound>[] };

/** An entry of the change feed of a scope. */
export type ScopedChange<Bound> = InScope<Exclude<Change, DeletedChange>, Bound> | DeletedChange;

/**
 * A client that only reaches the memories with the values of its scope. `client.forSubject` and `client.scoped` create it.
 *
 * Writes set the values. Filters require them, before ranking, counting and paging. An id of another memory gets a
 * `NotFoundError`, like an unknown id. Calls with an id read the memory first, so they also need `memory:search`. Each
 * subject and project has its own external keys. A request with another value throws a `ScopeError` and is not sent.
 */
export class ScopedClient<const Bound extends MemoryScope = MemoryScope> {
  readonly #client: MemoryClient;
  /** Sends the scope in headers too, which only the operations that store memories read. */
  readonly #writer: MemoryClient;
  readonly #binding: Binding;

  /** @throws {ScopeError} if the scope has no value, or one is missing */
  constructor(client: MemoryClient, scope: Bound) {
    this.#client = client;
    this.#binding = new Binding(scope);
    this.#writer = client.withOptions({ headers: this.#binding.headers });
  }

  /**
   * Stores a memory with the values of the scope, or merges it into one with the same content and subject.
   *
   * @example await user.ingest({ content: 'Drinks her tea without milk.' });
   */
  ingest(memory: Unbound<IngestRequest, Bound>, options?: CallOptions): ApiCall<InScope<WrittenMemory, Bound>> {
    return begin(() => this.#writer.ingest(this.#binding.write(memory), options));
  }

  /**
   * Creates or updates the memory with this external key.
   *
   * @example await user.upsert({ externalKey: 'profile', content: 'Prefers short answers.' });
   */
  upsert(memory: Unbound<UpsertRequest, Bound>, options?: CallOptions): ApiCall<InScope<WrittenMemory, Bound>> {
    return begin(() => this.#writer.upsert(this.#binding.write(memory), options));
  }

  /**
   * Stores many memories in one request. A rejected item does not throw: its entry in `results` has an `error`.
   *
   * @example await user.ingestBatch({ items: [{ content: 'One.' }, { content: 'Two.' }] });
   */
  ingestBatch(
    { items, ...rest }: Omit<BatchInput, 'items'> & { items: Unbound<BatchItem, Bound>[] },
    options?: CallOptions,
  ): ApiCall<BatchResponse> {
    return begin(() =>
      this.#writer.ingestBatch({ ...rest, items: items.map((item) => this.#binding.write(item)) }, options),
    );
  }

  /**
   * Returns the memories of the scope that are closest in meaning to a query.
   *
   * @example const { results } = await user.search({ query: 'How does she drink her tea?', limit: 3 });
   */
  search(
    search: Filtered<SearchRequest, Bound>,
    options?: CallOptions,
  ): ApiCall<Found<SearchResponse, SearchResult, Bound>> {
    return begin(() => this.#client.search(this.#binding.query(search), options));
  }

  /**
   * Returns a memory.
   *
   * @throws {NotFoundError} also if it is outside the scope
   * @example const { content } = await user.get(id);
   */
  get(id: string, query?: ReadQuery, options?: CallOptions): ApiCall<InScope<Memory, Bound>> {
    return begin(() => toApiCall(this.#find(id, query, options)));
  }

  /**
   * Returns the other memories of the scope closest in meaning to one of its memories.
   *
   * @throws {NotFoundError}
   * @example const { results } = await user.similar(id);
   */
  similar(
    id: string,
    query: Filtered<SimilarQuery, Bound> = {},
    options?: CallOptions,
  ): ApiCall<Found<SimilarMemories, SearchResult, Bound>> {
    return begin(() => {
      const bound = this.#binding.query(query);
      return this.#with(id, query, options, () => this.#client.similar(id, bound, options));
    });
  }

  /**
   * Changes a memory, but not the values of the scope.
   *
   * @throws {NotFoundError}
   * @example await user.update(id, { metadata: { reviewed: true } });
   */
  update(
    id: string,
    change: Unbound<UpdateRequest, Bound>,
    options?: CallOptions,
  ): ApiCall<InScope<WrittenMemory, Bound>> {
    return begin(() => {
      const bound = this.#binding.change(change);
      return this.#with(id, {}, options, () => this.#client.update(id, bound, options));
    });
  }

  /**
   * Soft-deletes a memory; `restore` undoes it.
   *
   * @throws {NotFoundError}
   * @example await user.delete(id);
   */
  delete(id: string, options?: CallOptions): ApiCall<void> {
    return this.#with(id, {}, options, () => this.#client.delete(id, options));
  }

  /**
   * Restores a soft-deleted memory.
   *
   * @throws {ConflictError} if another memory now has its content or key
   * @example await user.restore(id);
   */
  restore(id: string, options?: CallOptions): ApiCall<InScope<Memory, Bound>> {
    return begin(() => this.#with(id, DELETED, options, () => this.#client.restore(id, options)));
  }

  /**
   * Purges a soft-deleted memory: it cannot be restored.
   *
   * @throws {ConflictError} if the memory is not deleted
   * @example await user.purge(id);
   */
  purge(id: string, options?: CallOptions): ApiCall<void> {
    return this.#with(id, DELETED, options, () => this.#client.purge(id, options));
  }

  /**
   * Soft-deletes at most 5,000 memories of the scope that the filter matches. `remaining` is the number left.
   *
   * @throws {ConflictError} if the filter does not match `expectedCount` memories; its `count` is the actual number
   * @example await user.deleteMany({ expectedCount: (await user.stats()).meta.filtered });
   */
  deleteMany(request: Filtered<{ expectedCount: number }, Bound>, options?: CallOptions): ApiCall<DeletedMemories> {
    return begin(() => this.#client.deleteMany(this.#binding.query(request), options));
  }

  /**
   * Returns the newest memories of the scope.
   *
   * @example const { results } = await user.recent({ limit: 5 });
   */
  recent(
    query: Filtered<RecentQuery, Bound> = {},
    options?: CallOptions,
  ): ApiCall<Found<RecentMemories, Memory, Bound>> {
    return begin(() => this.#client.recent(this.#binding.query(query), options));
  }

  /**
   * Counts the memories of the scope, in `meta.filtered` and by metadata keys. `meta.total` is that of the organization.
   *
   * @example const { meta } = await user.stats();
   */
  stats(query: Filtered<StatsQuery, Bound> = {}, options?: CallOptions): ApiCall<Stats> {
    return begin(() => this.#client.stats(this.#binding.query(query), options));
  }

  /**
   * Lists the changes of the scope since a time. Purged memories, and those that left the scope, are not in it.
   *
   * @example for await (const change of user.changes({ since: '2026-01-01' })) console.log(change.id);
   */
  changes(
    query: Filtered<ChangesQuery, Bound>,
    options?: CallOptions,
  ): PagedCall<Omit<ChangesPage, 'changes'> & { changes: ScopedChange<Bound>[] }, ScopedChange<Bound>> {
    return begin(() => this.#client.changes(this.#binding.query(query), options));
  }

  /**
   * Yields the changes of the scope, and then new ones as they happen, until `signal` aborts.
   *
   * @example for await (const change of user.follow({}, { signal })) console.log(change.id, change.change);
   */
  async *follow(
    query: Filtered<FollowQuery, Bound> = {},
    options?: FollowOptions,
  ): AsyncGenerator<ScopedChange<Bound>, void, undefined> {
    yield* this.#client.follow(this.#binding.query(query), options) as AsyncGenerator<ScopedChange<Bound>>;
  }

  /**
   * Lists all memories of the scope, oldest first.
   *
   * @example for await (const memory of user.export()) console.log(memory.content);
   */
  export(
    query: Filtered<ExportQuery, Bound> = {},
    options?: CallOptions,
  ): PagedCall<FoundPage<ExportPage, ExportedMemory, Bound>, InScope<ExportedMemory, Bound>> {
    return begin(() => this.#client.export(this.#binding.query(query), options));
  }

  /**
   * Unmetered reads of the scope for people who browse. They need a session: see `session.signIn`.
   *
   * @example const { memories } = await user.browse.list({ sort: 'updatedAt' });
   */
  get browse(): {
    list(
      query?: Filtered<BrowseQuery, Bound>,
      options?: CallOptions,
    ): PagedCall<FoundPage<MemoriesPage, BrowsedMemory, Bound>, InScope<BrowsedMemory, Bound>>;
    count(query: Filtered<CountQuery, Bound>, options?: CallOptions): ApiCall<MemoryCounts>;
  } {
    const { browse } = this.#client;
    return {
      list: (query = {}, options) => begin(() => browse.list(this.#binding.query(query), options)),
      count: (query, options) => begin(() => browse.count(this.#binding.query(query), options)),
    };
  }

  /** Reads a memory of the scope. @throws {NotFoundError} */
  async #find(id: string, { includeDeleted }: ReadQuery = {}, options?: CallOptions): Promise<Answer<Memory>> {
    const answer = await this.#client.get(id, { includeDeleted }, options).withResponse();
    if (!this.#binding.holds(answer.data)) throw notFound(answer.requestId);
    return answer;
  }

  /** Makes a call with the id of a memory of the scope. @throws {NotFoundError} */
  #with<T>(id: string, query: ReadQuery, options: CallOptions | undefined, call: () => ApiCall<T>): ApiCall<T> {
    return toApiCall(this.#find(id, query, options).then(() => call().withResponse()));
  }
}

const DELETED: ReadQuery = { includeDeleted: true };

/**
 * Starts a call whose response has only memories of the scope, so that its type may be narrower. If the scope forbids
 * the request, the call rejects.
 */
function begin<Wide, Narrow extends Wide>(start: () => Wide): Narrow {
  try {
    return start() as Narrow;
  } catch (error) {
    const rejected = toApiCall<never>(Promise.reject(error));
    const paging = { itemsOf: () => [], cursorAfter: () => undefined, readPage: () => rejected };
    return toPagedCall(rejected, paging) as Narrow;
  }
}
