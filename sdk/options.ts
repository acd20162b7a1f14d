import type {
  AuditAction,
  BatchItem,
  ExportedMemory,
  Filter,
  OutboundDelivery,
  SubjectKey,
} from './generated/types.gen.js';

export interface MemoryClientOptions {
  /** Where the service is, without `/api`. Default: MEMORY_BASE_URL, in development that of `credentials.json`. */
  baseUrl?: string | undefined;
  /**
   * The access token, or what gives one for each request. Default: MEMORY_TOKEN, in development that of
   * `credentials.json` if `baseUrl` is the one in there. An empty text sends none.
   */
  token?: string | (() => string | Promise<string>) | undefined;
  /** The organization to act in, needed only if the token leaves it open. Default: MEMORY_ORGANIZATION_ID. */
  organizationId?: string | undefined;
  /** What sends the requests. Default: the global fetch. */
  fetch?: typeof fetch | undefined;
  /** Milliseconds for one try, from sending to the last byte of the answer. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** How often a call is tried again where that is safe. Default: 2. */
  maxRetries?: number | undefined;
  /** The longest wait before another try; a `Retry-After` beyond it is not waited for. Default: 60,000. */
  maxRetryDelayMs?: number | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** What one call may have of its own. Always the last argument. */
export interface CallOptions {
  /** Ends the call early; its reason is what the call then throws. */
  signal?: AbortSignal | undefined;
  /** Default: that of the client. */
  timeoutMs?: number | undefined;
  /** Default: that of the client. */
  maxRetries?: number | undefined;
  /** Added to those of the client, and in their place where the names are the same. */
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface ReadQuery {
  /** Also look at soft-deleted memories. Default: false. */
  includeDeleted?: boolean | undefined;
}

export interface StatsQuery extends ReadQuery {
  /** Look only at memories that meet every condition. */
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
  /** How many to return at once, at most 500. Default: 100. */
  limit?: number | undefined;
  /** Where the page before ended. */
  cursor?: string | undefined;
}

export interface ChangesQuery extends ExportQuery {
  /** The earliest change to return: ISO 8601 with a zone, or a Date. */
  since: string | Date;
}

/** A page of a list of the organization. */
export interface PageQuery {
  /** How many to return at once, at most 500. Default: 100. */
  limit?: number | undefined;
  /** Where the page before ended. */
  cursor?: string | undefined;
}

export interface VersionsQuery extends PageQuery {
  /** Whether the versions of a soft-deleted memory are returned too. Default: false. */
  includeDeleted?: boolean | undefined;
}

export interface DocumentsQuery extends PageQuery {
  /** Only documents about this subject. */
  subjectKey?: SubjectKey | undefined;
}

export interface DocumentQuery {
  /** Whom or what the document is about. Needed only if several subjects have a document of this id. */
  subjectKey?: SubjectKey | undefined;
  /** The first chunk to return, counted from 0. Default: 0. */
  from?: number | undefined;
}

export interface DeliveriesQuery extends PageQuery {
  status?: OutboundDelivery['status'] | undefined;
}

export interface AuditEventsQuery extends PageQuery {
  /** Such as `memory.delete`; a newer service may know others. */
  action?: AuditAction | (string & {}) | undefined;
  /** The token, user or webhook that did it. */
  actorId?: string | undefined;
  memoryId?: string | undefined;
  /** The earliest time: ISO 8601 with a zone, or a Date. */
  since?: string | Date | undefined;
  /** The time before which: ISO 8601 with a zone, or a Date. */
  until?: string | Date | undefined;
}

export interface BatchInput {
  items: BatchItem[];
  /** Whether to go on after an item that was refused. Default: true. */
  continueOnError?: boolean | undefined;
}

export interface ExportPage {
  memories: ExportedMemory[];
  /** For the next page; absent on the last one. */
  nextCursor?: string;
}
