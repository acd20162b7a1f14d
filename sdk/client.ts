import { UnavailableError } from './errors.js';
import {
  deleteMemory,
  exportMemories,
  getLiveness,
  getMemory,
  getMemoryStats,
  getOrganizationSettings,
  getReadiness,
  ingestMemory,
  ingestMemoryBatch,
  listMemoryChanges,
  listRecentMemories,
  searchMemories,
  updateMemory,
  updateOrganizationSettings,
  upsertMemory,
} from './generated/sdk.gen.js';
import type {
  BatchResponse,
  ChangesPage,
  ExportedMemory,
  IngestRequest,
  Liveness,
  Memory,
  OrganizationSettings,
  OrganizationSettingsUpdate,
  Readiness,
  RecentMemories,
  SearchRequest,
  SearchResponse,
  Stats,
  UpdateRequest,
  UpsertRequest,
  WrittenMemory,
} from './generated/types.gen.js';
import type {
  BatchInput,
  CallOptions,
  ChangesOptions,
  ExportPage,
  FilteredOptions,
  ListOptions,
  MemoryClientOptions,
  PageOptions,
  ReadOptions,
} from './options.js';
import { openTransport, parse, pathOf, queryOf, read, readText, type Transport } from './transport.js';

/**
 * Talks to one Memory Service with one token.
 *
 * Every method throws a `MemoryApiError`, by status, where the service
 * refuses, and a `MemoryConnectionError` where no proper answer comes.
 */
export class MemoryClient {
  private readonly transport: Transport;

  /** @throws {TypeError} when there is no `baseUrl`, or `token` cannot be sent */
  constructor(options: MemoryClientOptions = {}) {
    this.transport = openTransport(options);
  }

  /** Stores a memory, or folds it into one that says the same. */
  async ingest(memory: IngestRequest, options: CallOptions = {}): Promise<WrittenMemory> {
    return read(ingestMemory({ ...this.with(options), body: memory }));
  }

  /** Stores a memory under its external key and scope, or brings the one there up to date. */
  async upsert(memory: UpsertRequest, options: CallOptions = {}): Promise<WrittenMemory> {
    return read(upsertMemory({ ...this.with(options), body: memory }));
  }

  /** Stores many memories at once. A refused item does not throw: it is an entry of `results` with an `error`. */
  async ingestBatch(batch: BatchInput, options: CallOptions = {}): Promise<BatchResponse> {
    return read(ingestMemoryBatch({ ...this.with(options), body: batch }));
  }

  /** @throws {NotFoundError} */
  async get(id: string, options: ReadOptions = {}): Promise<Memory> {
    const query = queryOf(options);
    return read(getMemory({ ...this.with(options), path: pathOf(id), query }));
  }

  /** Changes the text, the metadata (merged unless `metadataReplace`) or the subject key. @throws {NotFoundError} */
  async update(id: string, change: UpdateRequest, options: CallOptions = {}): Promise<WrittenMemory> {
    return read(updateMemory({ ...this.with(options), path: pathOf(id), body: change }));
  }

  /** Soft-deletes a memory. @throws {NotFoundError} also when it is deleted already */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await deleteMemory({ ...this.with(options), path: pathOf(id) });
  }

  /** All memories, oldest first. Reads page after page as the caller goes on. */
  async *export(options: PageOptions = {}): AsyncGenerator<ExportedMemory, void, undefined> {
    let cursor = options.cursor;
    do {
      const page = await this.exportPage({ ...options, cursor });
      yield* page.memories;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** One page of an export. */
  async exportPage(options: PageOptions = {}): Promise<ExportPage> {
    const query = queryOf(options);
    const sent = await exportMemories({ ...this.with(options), query });
    const lines = (await readText(sent)).split('\n').filter((line) => line !== '');
    const nextCursor = sent.response.headers.get('X-Next-Cursor');
    return {
      memories: lines.map((line) => parse<ExportedMemory>(line)),
      ...(nextCursor !== null && { nextCursor }),
    };
  }

  /** Counts memories by the common metadata keys. */
  async stats(options: FilteredOptions = {}): Promise<Stats> {
    const query = queryOf(options);
    return read(getMemoryStats({ ...this.with(options), query }));
  }

  /** One page of what changed since a time, in the order in which it changed. */
  async changes({ since, ...options }: ChangesOptions): Promise<ChangesPage> {
    const query = { since: since instanceof Date ? since.toISOString() : since, ...queryOf(options) };
    return read(listMemoryChanges({ ...this.with(options), query }));
  }

  /** The newest memories. */
  async recent(options: ListOptions = {}): Promise<RecentMemories> {
    const query = queryOf(options);
    return read(listRecentMemories({ ...this.with(options), query }));
  }

  /** The memories closest in meaning to a query. */
  async search(search: SearchRequest, options: CallOptions = {}): Promise<SearchResponse> {
    return read(searchMemories({ ...this.with(options), body: search }));
  }

  /** The settings of the organization. */
  async settings(options: CallOptions = {}): Promise<OrganizationSettings> {
    return read(getOrganizationSettings({ ...this.with(options) }));
  }

  /** Changes settings; those left out stay as they are. @throws {ConflictError} when the type of subject keys is in use */
  async updateSettings(change: OrganizationSettingsUpdate, options: CallOptions = {}): Promise<OrganizationSettings> {
    return read(updateOrganizationSettings({ ...this.with(options), body: change }));
  }

  /** Whether the process answers at all. */
  async live(options: CallOptions = {}): Promise<Liveness> {
    return read(getLiveness({ ...this.with(options) }));
  }

  /** Whether the service takes requests. Resolves with status `down` too. */
  async ready(options: CallOptions = {}): Promise<Readiness> {
    try {
      return await read(getReadiness({ ...this.with(options) }));
    } catch (error) {
      if (error instanceof UnavailableError && isReadiness(error.body)) return error.body;
      throw error;
    }
  }

  private with({ signal }: CallOptions): Transport & CallOptions {
    return { ...this.transport, signal };
  }
}

function isReadiness(body: unknown): body is Readiness {
  return typeof body === 'object' && body !== null && 'checks' in body;
}
