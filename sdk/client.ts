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
  DeleteMemoriesRequest,
  ExportedMemory,
  ImportItem,
  ImportResponse,
  IngestRequest,
  Memory,
  RecentMemories,
  SearchRequest,
  SearchResponse,
  SimilarMemories,
  Stats,
  UpdateRequest,
  UpsertRequest,
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
  SimilarQuery,
  StatsQuery,
} from './options.js';
import { AuditResource } from './resources/audit.js';
import { DocumentsResource } from './resources/documents.js';
import { HealthResource } from './resources/health.js';
import { InboundWebhooksResource } from './resources/inbound-webhooks.js';
import { InvitationsResource } from './resources/invitations.js';
import { MembersResource } from './resources/members.js';
import { OutboundWebhooksResource } from './resources/outbound-webhooks.js';
import { SessionResource } from './resources/session.js';
import { SettingsResource } from './resources/settings.js';
import { SubjectsResource } from './resources/subjects.js';
import { SubscriptionResource } from './resources/subscription.js';
import { TokensResource } from './resources/tokens.js';
import { UsageResource } from './resources/usage.js';
import { VersionsResource } from './resources/versions.js';
import { idOf, nothing, parse, Transport, timeOf } from './transport.js';

/** An entry of the change feed; `change` tells which. */
export type Change = ActiveChange | DeletedChange;

/**
 * Talks to one Memory Service with one token.
 *
 * Every method throws a `MemoryApiError`, by status, where the service
 * refuses, and a `MemoryConnectionError` where no proper answer comes.
 */
export class MemoryClient {
  readonly audit: AuditResource;
  readonly documents: DocumentsResource;
  readonly health: HealthResource;
  readonly inboundWebhooks: InboundWebhooksResource;
  readonly invitations: InvitationsResource;
  readonly members: MembersResource;
  readonly outboundWebhooks: OutboundWebhooksResource;
  readonly session: SessionResource;
  readonly settings: SettingsResource;
  readonly subjects: SubjectsResource;
  readonly subscription: SubscriptionResource;
  readonly tokens: TokensResource;
  readonly usage: UsageResource;
  readonly versions: VersionsResource;
  readonly #transport: Transport;

  /** @throws {TypeError} when there is no `baseUrl`, or `token` cannot be sent */
  constructor(options: MemoryClientOptions = {}) {
    this.#transport = new Transport(options);
    this.audit = new AuditResource(this.#transport);
    this.documents = new DocumentsResource(this.#transport);
    this.health = new HealthResource(this.#transport);
    this.inboundWebhooks = new InboundWebhooksResource(this.#transport);
    this.invitations = new InvitationsResource(this.#transport);
    this.members = new MembersResource(this.#transport);
    this.outboundWebhooks = new OutboundWebhooksResource(this.#transport);
    this.session = new SessionResource(this.#transport);
    this.settings = new SettingsResource(this.#transport);
    this.subjects = new SubjectsResource(this.#transport);
    this.subscription = new SubscriptionResource(this.#transport);
    this.tokens = new TokensResource(this.#transport);
    this.usage = new UsageResource(this.#transport);
    this.versions = new VersionsResource(this.#transport);
  }

  /** Stores a memory, or folds it into one that says the same. */
  ingest(memory: IngestRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('ingestMemory', options, (attempt) => ingestMemory({ ...attempt, body: memory }));
  }

  /** Stores a memory under its external key and scope, or brings the one there up to date. */
  upsert(memory: UpsertRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('upsertMemory', options, (attempt) => upsertMemory({ ...attempt, body: memory }));
  }

  /** Stores many memories at once. A refused item does not throw: it is an entry of `results` with an `error`. */
  ingestBatch(batch: BatchInput, options: CallOptions = {}): ApiCall<BatchResponse> {
    return this.#transport.call('ingestMemoryBatch', options, (attempt) =>
      ingestMemoryBatch({ ...attempt, body: batch }),
    );
  }

  /**
   * Brings memories in with the ids and times that they had elsewhere. A refused item does not throw: it is an entry of
   * `results` with an `error`.
   */
  importMemories(batch: { items: ImportItem[] }, options: CallOptions = {}): ApiCall<ImportResponse> {
    return this.#transport.call('importMemories', options, (attempt) => importMemories({ ...attempt, body: batch }));
  }

  /** The memories closest in meaning to a query. */
  search(search: SearchRequest, options: CallOptions = {}): ApiCall<SearchResponse> {
    return this.#transport.call('searchMemories', options, (attempt) => searchMemories({ ...attempt, body: search }));
  }

  /** One memory. @throws {NotFoundError} */
  get(id: string, query: ReadQuery = {}, options: CallOptions = {}): ApiCall<Memory> {
    return this.#transport.call('getMemory', options, (attempt) =>
      getMemory({ ...attempt, path: { id: idOf(id) }, query }),
    );
  }

  /** The other memories closest in meaning to a memory. @throws {NotFoundError} */
  similar(id: string, query: SimilarQuery = {}, options: CallOptions = {}): ApiCall<SimilarMemories> {
    return this.#transport.call('listSimilarMemories', options, (attempt) =>
      listSimilarMemories({ ...attempt, path: { id: idOf(id) }, query }),
    );
  }

  /** Changes the text, the metadata (merged unless `metadataReplace`) or the subject key. @throws {NotFoundError} */
  update(id: string, change: UpdateRequest, options: CallOptions = {}): ApiCall<WrittenMemory> {
    return this.#transport.call('updateMemory', options, (attempt) =>
      updateMemory({ ...attempt, path: { id: idOf(id) }, body: change }),
    );
  }

  /** Brings a soft-deleted memory back. @throws {ConflictError} if another one has its text or its key by now */
  restore(id: string, options: CallOptions = {}): ApiCall<Memory> {
    return this.#transport.call('restoreMemory', options, (attempt) =>
      restoreMemory({ ...attempt, path: { id: idOf(id) } }),
    );
  }

  /** Removes a soft-deleted memory for good. @throws {ConflictError} if it is not deleted */
  purge(id: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'purgeMemory',
      options,
      (attempt) => purgeMemory({ ...attempt, path: { id: idOf(id) } }),
      nothing,
    );
  }

  /** Soft-deletes a memory; `restore` brings it back. @throws {NotFoundError} also when it was deleted before */
  delete(id: string, options: CallOptions = {}): ApiCall<void> {
    return this.#transport.callFor(
      'deleteMemory',
      options,
      (attempt) => deleteMemory({ ...attempt, path: { id: idOf(id) } }),
      nothing,
    );
  }

  /**
   * Soft-deletes many memories: those of some ids, or those that a filter matches.
   *
   * @throws {ConflictError} if the filter does not match `expectedCount` memories; `count` is how many it matches
   */
  deleteMany(request: DeleteMemoriesRequest, options: CallOptions = {}): ApiCall<DeletedMemories> {
    return this.#transport.call('deleteMemories', options, (attempt) => deleteMemories({ ...attempt, body: request }));
  }

  /** The newest memories. */
  recent(query: RecentQuery = {}, options: CallOptions = {}): ApiCall<RecentMemories> {
    return this.#transport.call('listRecentMemories', options, (attempt) => listRecentMemories({ ...attempt, query }));
  }

  /** Counts memories by the common metadata keys. */
  stats(query: StatsQuery = {}, options: CallOptions = {}): ApiCall<Stats> {
    return this.#transport.call('getMemoryStats', options, (attempt) => getMemoryStats({ ...attempt, query }));
  }

  /** What changed since a time, in the order in which it changed; iterated, up to the present. */
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
   * Every change from where the saved cursor points, and on as more happen,
   * until `signal` ends it. Each change comes at least once.
   *
   * @throws {MemoryApiError} when the service refuses for good
   */
  follow(query: FollowQuery = {}, options: FollowOptions = {}): AsyncGenerator<Change, void, undefined> {
    return follow(this, query, options);
  }

  /** All memories, oldest first. */
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
