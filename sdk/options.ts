import type {
  AuditAction,
  AuditSource,
  CountInterval,
  ExportedMemory,
  InboundDelivery,
  MemoryTime,
  OutboundDelivery,
  SubjectKey,
} from './generated/types.gen.js';
import type { Logger, LogLevel } from './transport/logging.js';
import type { BatchItem, Filter } from './transport/requests.js';

export interface MemoryClientOptions {
  /** Base URL of the service, without `/api`. Default: MEMORY_BASE_URL, or in development the one in `credentials.json`. */
  baseUrl?: string | undefined;
  /**
   * The access token, or a function that returns one for each request. An empty string sends none. Default: MEMORY_TOKEN,
   * or in development the token in `credentials.json` if that file names the same `baseUrl`.
   */
  token?: string | (() => string | Promise<string>) | undefined;
  /** The organization to act in. Required only if the token allows several. Default: MEMORY_ORGANIZATION_ID. */
  organizationId?: string | undefined;
  /** Sends the requests. Default: the global fetch. */
  fetch?: typeof fetch | undefined;
  /** Further options of each `fetch`, for features of one platform, such as the `dispatcher` of Node for a proxy. */
  fetchOptions?: (RequestInit & Readonly<Record<string, unknown>>) | undefined;
  /** Timeout of one attempt, from sending to the last byte of the response. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries of a call that is safe to repeat. Default: 2. */
  maxRetries?: number | undefined;
  /** Longest delay before a retry. If `Retry-After` exceeds it, the call fails immediately. Default: 60,000. */
  maxRetryDelayMs?: number | undefined;
  /** Headers that every request carries. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Receives the log. Default: standard error; in a browser, the console. */
  logger?: Logger | undefined;
  /** How much to log: `debug` for each attempt. Default: MEMORY_LOG; without it `warn` if `logger` is set, else `off`. */
  logLevel?: LogLevel | undefined;
  /** Called before each retry. An error that it throws ends the call. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

/** A retry that is about to happen. */
export interface Retry {
  /** The operationId of the contract, such as `searchMemories`. For `client.request`, the method and the path. */
  operation: string;
  /** The number of the attempt that failed, from 1. */
  attempt: number;
  /** Delay before the next attempt. */
  delayMs: number;
  /** The error of the attempt: a `MemoryApiError` or a `MemoryConnectionError`. */
  error: unknown;
}

/** Options of `client.request`. */
export interface RequestOptions extends CallOptions {
  /** Parameters of the query. Objects are sent as JSON. */
  query?: Readonly<Record<string, unknown>> | undefined;
  /** The body, sent as JSON. */
  body?: unknown;
}

/** Options of one call. Always the last argument. */
export interface CallOptions {
  /** Aborts the call, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Timeout of one attempt. Default: that of the client. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries of a call that is safe to repeat. Default: that of the client. */
  maxRetries?: number | undefined;
  /** Headers added to those of the client. They replace headers of the same name. */
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface ReadQuery {
  /** Include soft-deleted memories. Default: false. */
  includeDeleted?: boolean | undefined;
}

export interface StatsQuery extends ReadQuery {
  /** Include only memories that match every condition. */
  filter?: Filter | undefined;
}

export interface RecentQuery extends StatsQuery {
  /** How many to return, at most 50. Default: 20. */
  limit?: number | undefined;
}

export interface SimilarQuery extends StatsQuery {
  /** How many to return, at most 50. Default: 10. */
  limit?: number | undefined;
}

export interface ExportQuery extends StatsQuery {
  /** How many to return per page, at most 500. Default: 100. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

export interface ChangesQuery extends ExportQuery {
  /** The time of the earliest change to return: ISO 8601 with a zone, or a Date. */
  since: string | Date;
}

/** Selects a page of a list. */
export interface PageQuery {
  /** How many to return per page, at most 500. Default: 100. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

export interface TokensQuery extends PageQuery {
  /** True to return revoked tokens too. Default: false. */
  includeRevoked?: boolean | undefined;
}

export interface VersionsQuery extends PageQuery {
  /** True to return the versions of a soft-deleted memory too. Default: false. */
  includeDeleted?: boolean | undefined;
}

export interface DocumentsQuery extends PageQuery {
  /** Only documents about this subject. */
  subjectKey?: SubjectKey | undefined;
}

export interface DocumentQuery {
  /** The subject of the document. Required only if several subjects have a document with this id. */
  subjectKey?: SubjectKey | undefined;
  /** The first chunk to return, counted from 0. Default: 0. */
  from?: number | undefined;
}

export interface DeliveriesQuery extends PageQuery {
  status?: OutboundDelivery['status'] | undefined;
  /** The earliest time of creation, inclusive: ISO 8601 with a zone, or a Date. */
  since?: string | Date | undefined;
}

export interface InboundDeliveriesQuery extends PageQuery {
  state?: InboundDelivery['state'] | undefined;
}

export interface AuditEventsQuery extends PageQuery {
  /** An action such as `memory.delete`, or several. A newer service may have others. */
  action?: AuditAction | (string & {}) | readonly (AuditAction | (string & {}))[] | undefined;
  /** The token, user or webhook that acted. */
  actorId?: string | undefined;
  memoryId?: string | undefined;
  /** The surface that the requests used. */
  source?: AuditSource | undefined;
  /** The earliest time, inclusive: ISO 8601 with a zone, or a Date. */
  since?: string | Date | undefined;
  /** The latest time, exclusive: ISO 8601 with a zone, or a Date. */
  until?: string | Date | undefined;
}

interface BrowseScope extends StatsQuery {
  /** Include only soft-deleted memories. Default: false. */
  onlyDeleted?: boolean | undefined;
  /** The latest time, exclusive: ISO 8601 with a zone, or a Date. */
  until?: string | Date | undefined;
}

export interface BrowseQuery extends BrowseScope {
  /** The time to sort by. Default: `createdAt`. */
  sort?: MemoryTime | undefined;
  /** `desc` lists the newest first. Default: `desc`. */
  direction?: 'asc' | 'desc' | undefined;
  /** The earliest time, inclusive: ISO 8601 with a zone, or a Date. */
  since?: string | Date | undefined;
  /** How many to return per page, at most 200. Default: 50. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
  /** Cuts each content to this number of characters, at most 1,000. */
  preview?: number | undefined;
}

export interface CountQuery extends BrowseScope {
  interval: CountInterval;
  /** The time of a memory that decides its bucket. Default: `createdAt`. */
  time?: MemoryTime | undefined;
  /** The earliest time to count, inclusive: ISO 8601 with a zone, or a Date. */
  since: string | Date;
  /** The metadata key to split the counts by. */
  facet?: string | undefined;
  /** How many values of the facet to count separately, at most 20. Default: 8. */
  values?: number | undefined;
}

export interface AuditExportQuery extends AuditEventsQuery {
  /** The format of the text. Default: `ndjson`, one event a line. */
  format?: 'ndjson' | 'csv' | undefined;
}

/** A page of an export. The texts of all pages make one file if they are joined. */
export interface AuditExportPage {
  text: string;
  /** The cursor of the next page. Absent on the last page. */
  nextCursor?: string;
}

export interface DailyUsageQuery {
  /** The number of days, today included. Default: 90. */
  limit?: number | undefined;
}

export interface BatchInput {
  items: BatchItem[];
  /** True to continue after a rejected item. Default: true. */
  continueOnError?: boolean | undefined;
}

export interface ExportPage {
  memories: ExportedMemory[];
  /** The cursor of the next page. Absent on the last page. */
  nextCursor?: string;
}
