import { type HttpHandler, HttpResponse, http } from 'msw';
import { defaultLimits } from '../generated/constants.gen.js';
import type { DeletedMemories, Memory, OrganizationSettings } from '../generated/types.gen.js';
import { bodyOf, type FailedStatus, json, toExport, toFailure, written } from './answers.js';
import { batch, presentWritten } from './batch.js';
import { readDeletes } from './deletes.js';
import { findDocument, listDocuments, readDocument } from './documents.js';
import { ErasureTable, readErasure } from './erasures.js';
import { readFilter } from './filter.js';
import { importAll } from './imports.js';
import { changes, exportPage, recent, select, stats } from './reads.js';
import { presentMemory } from './record.js';
import { Refusal, refused } from './refusal.js';
import { rank, rankSimilar, readSearch } from './search.js';
import { MemoryTable } from './table.js';
import { assertFields, type Bounds, readBoolean, readItem, readUpdate, readUpsert } from './validate.js';
import { presentExported, presentVersion, versionsPage } from './versions.js';
import { readWithin } from './within.js';

export interface StandInOptions {
  /** The `baseUrl` of the client under test. Default: `http://memory.test`. */
  baseUrl?: string;
  /** The token to require. Default: any token. */
  token?: string;
  /** The type of subject keys. Default: `string`, as after a local first start. Null rejects them with 422. */
  subjectKeyType?: OrganizationSettings['subjectKeyType'];
  /** Maximum characters of a content. Default: 100,000. */
  contentLength?: number;
  /** Maximum items of a batch. Default: 50. */
  batchItems?: number;
}

/**
 * A failure of a request. With `connection`, it does not reach the service. With `answer`, the service processes it but
 * the response is lost. Otherwise the service returns a status.
 */
export type Failure = 'connection' | 'answer' | FailedStatus;

interface Call {
  request: Request;
  query: URLSearchParams;
  id: string;
  version: string;
}

type Answering = (call: Call) => Response | Promise<Response>;

/**
 * Simulates the service in the process, for tests of your program: `setupServer(...standIn.handlers)`. It stores memories
 * and follows the rules of de-duplication, keys, filters, pages and errors. Search compares words instead of meanings.
 * There are no rate limits or caps.
 */
export class StandInService {
  readonly baseUrl: string;
  /** Request handlers for msw. */
  readonly handlers: HttpHandler[];
  readonly #table = new MemoryTable(() => this.#settings.keptVersions);
  readonly #erasures = new ErasureTable();
  readonly #failures: Failure[] = [];
  readonly #token: string | undefined;
  readonly #batchItems: number;
  readonly #contentLength: number;
  readonly #settings: OrganizationSettings;

  constructor({ subjectKeyType = 'string', ...options }: StandInOptions = {}) {
    this.baseUrl = (options.baseUrl ?? 'http://memory.test').replace(/\/+$/, '');
    this.#token = options.token;
    this.#batchItems = options.batchItems ?? defaultLimits.batchItems;
    this.#contentLength = options.contentLength ?? defaultLimits.contentLength;
    this.#settings = {
      subjectKeyType,
      semanticDedupe: true,
      keptVersions: 10,
      deletedRetentionDays: null,
    };
    this.handlers = this.#handlers();
  }

  /**
   * Returns the memories that are not deleted, oldest first.
   *
   * @example const contents = standIn.memories.map(({ content }) => content);
   */
  get memories(): Memory[] {
    return this.#table.records.filter(({ deletedAt }) => deletedAt === undefined).map(presentMemory);
  }

  /**
   * Makes the next requests fail, one per failure. Health checks and missing operations do not count.
   *
   * @example standIn.failNext('connection', { status: 429, retryAfter: 0 });
   */
  failNext(...failures: Failure[]): void {
    this.#failures.push(...failures);
  }

  /**
   * Removes all memories, erasures and pending failures.
   *
   * @example standIn.reset();
   */
  reset(): void {
    this.#table.clear();
    this.#erasures.clear();
    this.#failures.length = 0;
  }

  get #bounds(): Bounds {
    return { subjectKeyType: this.#settings.subjectKeyType, contentLength: this.#contentLength };
  }

  #handlers(): HttpHandler[] {
    const at = (path: string) => `${this.baseUrl}${path}`;
    const table = this.#table;
    const selected = (query: URLSearchParams) => select(table.records, query, this.#settings.subjectKeyType);
    const document = (id: string, query: URLSearchParams) =>
      findDocument(table.records, id, query, this.#settings.subjectKeyType);
    const update: Answering = async ({ request, id }) =>
      json(presentWritten(table.update(id, readUpdate(await bodyOf(request), this.#bounds))));
    return [
      http.get(at('/health/live'), () => json({ status: 'ok' })),
      http.get(at('/health/ready'), () =>
        json({ status: 'ok', checks: { store: { status: 'ok' }, embedding: { status: 'ok' } } }),
      ),
      http.get(
        at('/api/memories/export'),
        this.#answer(({ query }) => toExport(exportPage(selected(query), query))),
      ),
      http.get(
        at('/api/memories/stats'),
        this.#answer(({ query }) => json(stats(table.records, query, this.#settings.subjectKeyType))),
      ),
      http.get(
        at('/api/memories/changes'),
        this.#answer(({ query }) => {
          const includeDeleted = readBoolean(query.get('includeDeleted'), 'includeDeleted', false);
          const tombstones = includeDeleted && !query.has('filter') ? table.tombstones : [];
          return json(changes([...selected(query), ...tombstones], query));
        }),
      ),
      http.get(
        at('/api/memories/recent'),
        this.#answer(({ query }) => json(recent(selected(query), query))),
      ),
      http.post(
        at('/api/memories/search'),
        this.#answer(async ({ request }) => json(this.#search(await bodyOf(request)))),
      ),
      http.post(
        at('/api/memories/delete'),
        this.#answer(async ({ request }) => json(this.#deleteMany(await bodyOf(request)))),
      ),
      http.post(
        at('/api/memories/:id/restore'),
        this.#answer(({ id }) => json(presentMemory(table.restore(id)))),
      ),
      http.post(
        at('/api/memories/:id/purge'),
        this.#answer(({ id }) => {
          table.purge(id);
          return new HttpResponse(null, { status: 204 });
        }),
      ),
      http.post(
        at('/api/memories/batch'),
        this.#answer(async ({ request }) =>
          json(
            batch(
              table,
              await bodyOf(request),
              { ...this.#bounds, batchItems: this.#batchItems },
              readWithin(request.headers),
            ),
          ),
        ),
      ),
      http.post(
        at('/api/memories/import'),
        this.#answer(async ({ request }) =>
          json(importAll(table, await bodyOf(request), { ...this.#bounds, batchItems: this.#batchItems })),
        ),
      ),
      http.get(
        at('/api/memories/versions'),
        this.#answer(({ query }) => json(versionsPage(table.versions.all, query, presentExported))),
      ),
      http.get(
        at('/api/memories/:id/versions'),
        this.#answer(({ id, query }) => {
          table.find(id, readBoolean(query.get('includeDeleted'), 'includeDeleted', false));
          return json(versionsPage(table.versions.of(id), query, presentVersion));
        }),
      ),
      http.post(
        at('/api/memories/:id/versions/:version/restore'),
        this.#answer(({ id, version }) => json(presentWritten(table.restoreVersion(id, version)))),
      ),
      http.post(
        at('/api/memories'),
        this.#answer(async ({ request }) =>
          written(table.ingest(readItem(await bodyOf(request), this.#bounds), readWithin(request.headers))),
        ),
      ),
      http.put(
        at('/api/memories'),
        this.#answer(async ({ request }) =>
          written(table.upsert(readUpsert(await bodyOf(request), this.#bounds), readWithin(request.headers))),
        ),
      ),
      http.get(
        at('/api/memories/:id/similar'),
        this.#answer(({ id, query }) => {
          const memory = table.find(id, readBoolean(query.get('includeDeleted'), 'includeDeleted', false));
          return json(rankSimilar(selected(query), memory, query));
        }),
      ),
      http.get(
        at('/api/memories/:id'),
        this.#answer(({ id, query }) =>
          json(presentMemory(table.find(id, readBoolean(query.get('includeDeleted'), 'includeDeleted', false)))),
        ),
      ),
      http.patch(at('/api/memories/:id'), this.#answer(update)),
      http.put(at('/api/memories/:id'), this.#answer(update)),
      http.delete(
        at('/api/memories/:id'),
        this.#answer(({ id }) => {
          table.delete(id);
          return new HttpResponse(null, { status: 204 });
        }),
      ),
      http.get(
        at('/api/documents'),
        this.#answer(({ query }) => json(listDocuments(table.records, query, this.#settings.subjectKeyType))),
      ),
      http.get(
        at('/api/documents/:id'),
        this.#answer(({ id, query }) => json(readDocument(document(id, query), query))),
      ),
      http.delete(
        at('/api/documents/:id'),
        this.#answer(({ id, query }) => {
          const memories = document(id, query);
          for (const memory of memories) table.delete(memory.id);
          return json({ documentId: id, deleted: memories.length, remaining: 0 });
        }),
      ),
      http.get(
        at('/api/organization/settings'),
        this.#answer(() => json(this.#settings)),
      ),
      http.patch(
        at('/api/organization/settings'),
        this.#answer(async ({ request }) => json(this.#configure(await bodyOf(request)))),
      ),
      http.post(
        at('/api/organization/subject-erasures'),
        this.#answer(async ({ request }) => {
          const subjectKey = readErasure(await bodyOf(request), this.#settings.subjectKeyType);
          return json(await this.#erasures.start(subjectKey, table.erase(subjectKey)), { status: 202 });
        }),
      ),
      http.get(
        at('/api/organization/subject-erasures/:id'),
        this.#answer(({ id }) => json(this.#erasures.find(id))),
      ),
      // No credential is checked: operations of sessions and public ones send no token.
      http.all(at('/*'), ({ request: { method, url } }) => {
        const error = `the stand-in does not have ${method} ${new URL(url).pathname}`;
        return json({ error, code: 'not_in_stand_in' }, { status: 501 });
      }),
    ];
  }

  /** Wraps a handler with pending failures, the token check and error responses. */
  #answer(answering: Answering): (info: { request: Request; params: Record<string, unknown> }) => Promise<Response> {
    return async ({ request, params }) => {
      const failure = this.#failures.shift();
      if (failure === 'connection') return HttpResponse.error();
      if (typeof failure === 'object') return toFailure(failure);
      const query = new URL(request.url).searchParams;
      const call = { request, query, id: String(params.id), version: String(params.version) };
      const answer = await this.#settle(request, () => answering(call));
      return failure === 'answer' ? HttpResponse.error() : answer;
    };
  }

  async #settle(request: Request, answering: () => Response | Promise<Response>): Promise<Response> {
    try {
      this.#authenticate(request);
      return await answering();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json(error.body, { status: error.status, headers: error.headers });
    }
  }

  #authenticate({ headers }: Request): void {
    const token = /^Bearer (.+)$/.exec(headers.get('Authorization') ?? '')?.[1];
    if (token !== undefined && (this.#token === undefined || token === this.#token)) return;
    const error = 'a valid access token is required';
    throw new Refusal(401, { error, code: 'unauthenticated' }, { 'WWW-Authenticate': 'Bearer' });
  }

  #search(body: unknown) {
    const search = readSearch(body);
    const matches = readFilter(search.filter, this.#settings.subjectKeyType);
    const includeDeleted = readBoolean(search.includeDeleted, 'includeDeleted', false);
    const records = this.#table.records.filter(
      (record) => (includeDeleted || record.deletedAt === undefined) && matches(record),
    );
    return rank(records, search);
  }

  #deleteMany(body: unknown): DeletedMemories {
    const { ids, matches, expectedCount } = readDeletes(body, this.#settings.subjectKeyType);
    const active = this.#table.records.filter(({ deletedAt }) => deletedAt === undefined);
    const chosen = active.filter((record) => (matches ? matches(record) : ids.includes(record.id)));
    if (matches && chosen.length !== expectedCount) {
      throw refused(409, 'count_mismatch', 'the filter does not match expectedCount memories', {
        count: chosen.length,
      });
    }
    for (const { id } of chosen) this.#table.delete(id);
    const missing = [...new Set(ids)].filter((id) => !chosen.some((record) => record.id === id));
    return { deleted: chosen.length, missing, remaining: 0 };
  }

  #configure(body: unknown): OrganizationSettings {
    assertFields(body, ['subjectKeyType', 'semanticDedupe', 'keptVersions', 'deletedRetentionDays']);
    const inUse = this.#table.records.some(({ subjectKey }) => subjectKey !== undefined);
    const { subjectKeyType = this.#settings.subjectKeyType } = body;
    if (inUse && subjectKeyType !== this.#settings.subjectKeyType) {
      throw refused(409, 'subject_key_type_in_use', 'memories use subject keys of the current type');
    }
    return Object.assign(this.#settings, body);
  }
}
