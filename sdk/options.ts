import type { BatchItem, ExportedMemory, Filter } from './generated/types.gen.js';

export interface MemoryClientOptions {
  /** Where the service is, without `/api`. Default: the environment variable MEMORY_BASE_URL. */
  baseUrl?: string | undefined;
  /** The access token. Default: MEMORY_TOKEN. */
  token?: string | undefined;
  /** The organization to act in, needed only if the token leaves it open. Default: MEMORY_ORGANIZATION_ID. */
  organizationId?: string | undefined;
  /** What sends the requests. Default: the global fetch. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Ends the call early; its reason is what the call then throws. */
  signal?: AbortSignal | undefined;
}

export interface ReadOptions extends CallOptions {
  /** Also look at soft-deleted memories. Default: false. */
  includeDeleted?: boolean | undefined;
}

export interface FilteredOptions extends ReadOptions {
  /** Look only at memories that meet every condition. */
  filter?: Filter | undefined;
}

export interface ListOptions extends FilteredOptions {
  /** How many to return at once. Default: 20 of the recent ones, 100 of an export or of changes. */
  limit?: number | undefined;
}

export interface PageOptions extends ListOptions {
  /** Where the page before ended. */
  cursor?: string | undefined;
}

export interface ChangesOptions extends PageOptions {
  /** The earliest change to return: ISO 8601 with a zone, or a Date. */
  since: string | Date;
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
