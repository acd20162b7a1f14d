import type { AuditEvent } from '../domain/account/audit-event.js';
import type { OrganizationSettings } from '../domain/account/organization.js';
import type { SharedResource } from '../domain/fairness/shared-resource.js';
import type { Place } from '../domain/memory/chunk.js';
import type { Filter } from '../domain/memory/filter.js';
import type { Memory, Scope } from '../domain/memory/memory.js';
import type { Scalar } from '../domain/memory/scalar.js';
import type { MemoryVersion } from '../domain/memory/version.js';
import type { PageQuery } from '../domain/page.js';
import type { Recency } from '../domain/retrieval/recency.js';
import type { Microseconds } from '../domain/timestamp.js';
import type { AccountStore, AccountUnit } from './account-store.js';
import type { AuditLog } from './audit-log.js';
import type { DocumentStore } from './document-store.js';
import type { ErasureStore, ErasureUnit } from './erasure-store.js';
import type { InboundStore, InboundUnit } from './inbound-store.js';
import type { NewJob } from './job-queue.js';
import type { OutboundStore, OutboundUnit } from './outbound-store.js';
import type { SubscriptionStore, SubscriptionUnit } from './subscription-store.js';
import type { UsageMeter } from './usage-meter.js';
import type { VersionStore } from './version-store.js';

/**
 * Stores everything durable. Every adapter passes `testing/adapter-suites/store.suite.ts`. No code outside the adapters
 * depends on which adapter is in use.
 *
 * Every method of `memories` and of a unit of work is scoped to one organization. For it, memories of other
 * organizations do not exist.
 */
export interface Store extends StoreHints, AsyncDisposable {
  readonly memories: MemoryReader;
  readonly documents: DocumentStore;
  readonly versions: VersionStore;
  readonly erasures: ErasureStore;
  readonly accounts: AccountStore;
  readonly usage: UsageMeter;
  readonly audit: AuditLog;
  readonly subscriptions: SubscriptionStore;
  readonly inbound: InboundStore;
  readonly outbound: OutboundStore;
  readonly canary: Canary;

  /**
   * Runs `work` in one transaction of the organization. When the promise resolves, all its writes are durable. When it
   * rejects, none are stored. Units of one organization run one after the other, so data that a unit has read cannot
   * change before it writes.
   *
   * `work` may run more than once, so it only reads and writes through its unit and waits for nothing else.
   *
   * @throws {DuplicateMemoryError} if a write breaks a uniqueness rule of the store
   * @throws {StoreUnavailableError} if nothing was stored and a retry may succeed
   * @throws {ShareExceededError} if too many units wait, of this or of all organizations, or the wait takes too long
   */
  transact<T>(organizationId: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T>;

  /**
   * Erases the remains of removed data from the files of the store: from free space, logs, indexes and the words of the
   * keyword index. May take minutes for a large store.
   *
   * @returns when to call again, if it cannot begin yet because it would slow down other organizations too much
   * @throws {StoreUnavailableError} if a retry may succeed
   */
  scrub(organizationId: string): Promise<{ retryAfterMs: number } | undefined>;

  /**
   * Resolves if the store can be read and written. The text is a warning for the operator, if there is one.
   *
   * @throws {StoreUnavailableError} {@link StoreFullError} while the store has no space for writes
   */
  probe(): Promise<string | undefined>;
}

/** Stores a known text that the service encrypted. At start, it shows if the service has the keys of the store. */
export interface Canary {
  /** Returns undefined if the store has no canary yet. */
  read(): Promise<string | undefined>;
  /** Returns false and changes nothing if the stored text is not `former`. */
  replace(former: string | undefined, next: string): Promise<boolean>;
}

/** Optional members of a store. An adapter may omit any of them: no result of the store depends on them. */
export interface StoreHints {
  /**
   * Builds the indexes for the first searches and starts to check for damage. Called once, after the server has started
   * to answer requests. Without it, the first search of an organization may take longer.
   */
  warm?(): Promise<void>;

  /**
   * Reports the memory use of the vector indexes in this process. Without it, the health check omits the figures and
   * the metrics report 0.
   */
  indexUse?(): IndexUse;
  /** Bounded resources inside the store that organizations share, for the metrics. */
  readonly sharedResources?: readonly Pick<SharedResource, 'name' | 'use'>[];
}

/** Memory use of the vector indexes that are loaded. */
export interface IndexUse {
  bytes: number;
  organizations: number;
}

/**
 * Reads committed state. Each read is consistent in itself.
 *
 * Reads that may take long have a `signal`. After an abort, the read leaves every queue, stops at its next step and
 * rejects with the reason of the signal.
 */
export interface MemoryReader {
  /** Returns soft-deleted memories too, and undefined for unknown and malformed ids. */
  findById(organizationId: string, id: string): Promise<Memory | undefined>;

  /** Reports for each content if an active memory of its subject has exactly this content, in any chunk. */
  areActive(
    organizationId: string,
    contents: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
  ): Promise<boolean[]>;

  /**
   * Lists memories. If ordered by change, with deleted memories and without a filter, the list also contains the
   * tombstones of purged memories. A tombstone has no fields that a filter could match.
   */
  list(organizationId: string, query: ListQuery, signal?: AbortSignal): Promise<Memory[]>;

  /** Returns at most `limit` ids of the active memories that match a filter, oldest first, and the count of all. */
  findMatching(organizationId: string, filter: Filter, limit: number): Promise<{ ids: string[]; count: number }>;

  stats(organizationId: string, query: StatsQuery, signal?: AbortSignal): Promise<Stats>;

  /**
   * Returns the `limit` most similar memories, best first. All conditions apply before the limit does. Only vectors of
   * the embedder in the organization's settings are compared.
   */
  nearest(organizationId: string, query: VectorQuery, signal?: AbortSignal): Promise<Match[]>;

  /**
   * Returns the vector by which `nearest` ranks a memory, soft-deleted or not. Returns undefined if the memory is
   * unknown or its vector comes from an embedder with another fingerprint.
   */
  findVector(organizationId: string, id: string, fingerprint: string): Promise<Float32Array | undefined>;

  /** Returns the best matches by the words that they share with the query. */
  matching(organizationId: string, query: KeywordQuery, signal?: AbortSignal): Promise<KeywordMatches>;

  /** Returns ids of memories that were soft-deleted, or imported as deleted, before a time; the earliest first. */
  findDeleted(organizationId: string, before: Microseconds, limit: number): Promise<string[]>;

  /** Returns memories, deleted or not, whose vector comes from another embedder. Empty if none are left. */
  findEmbeddedOtherwise(
    organizationId: string,
    fingerprint: string,
    limit: number,
  ): Promise<Pick<Memory, 'id' | 'content'>[]>;
}

export interface ReadScope {
  filter: Filter;
  includeDeleted: boolean;
}

export interface ListQuery extends ReadScope, PageQuery {
  /** Sorts by createdAt ascending, createdAt descending, or updatedAt ascending; the id breaks ties. */
  order: 'oldest' | 'newest' | 'changed';
  /** Inclusive lower bound on the time that `order` sorts by. */
  since?: Microseconds;
  /**
   * Bound on the bytes of content and metadata. The list may end after the memory that exceeds it, but never before the
   * second memory. Unbounded by default.
   */
  maxBytes?: number;
}

export interface StatsQuery extends ReadScope {
  /** Metadata keys whose scalar values are counted. */
  facets: readonly string[];
  /** Maximum number of values per facet; the most frequent are kept. */
  valuesPerFacet: number;
}

export interface Stats {
  facets: Record<string, FacetCount[]>;
  /** Number of memories, whatever the filter. */
  total: number;
  /** Number of memories that match the filter. */
  filtered: number;
}

export interface FacetCount {
  value: Scalar;
  count: number;
}

export interface VectorQuery extends ReadScope {
  /** Unit length, from the organization's embedder. */
  vector: Float32Array;
  limit: number;
  /** Minimum similarity, in [0, 1]. */
  minSimilarity?: number;
  /** If set, ranks by the blended score instead of the similarity. */
  recency?: Recency;
  /** If set, only these memories are compared. */
  ids?: readonly string[];
  /**
   * If true, every memory that matches the filter is compared, however long that takes. Otherwise a store may use an
   * index that misses a few of the best matches in a large organization.
   */
  exact?: boolean;
}

export interface Match {
  memory: Memory;
  /** Cosine clipped to [0, 1], from the stored vector. */
  similarity: number;
  /** Value that the matches are ranked by: the similarity, or its blend with recency. */
  score: number;
}

export interface KeywordQuery extends ReadScope {
  /**
   * Plain words, no syntax. A memory that contains any of them matches; rare words weigh more. A store ignores stop
   * words if a memory contains another word of the query. If the query has rarer words, it may ignore words that occur in
   * many memories of a large organization. Beyond `MAX_QUERY_TERMS` distinct words only the rarest count, and beyond
   * `MAX_COUNTED_TERMS` only the rarest of the longest.
   */
  text: string;
  limit: number;
}

export interface KeywordMatches {
  /** Best first. */
  matches: KeywordMatch[];
  /** True if the search ignored words of the query, apart from common ones. */
  wordsLeftOut: boolean;
  /** Upper bound of every relevance. Query words that no memory contains raise it too. */
  most: number;
}

export interface KeywordMatch {
  memory: Memory;
  /** BM25, above 0. Values of different searches cannot be compared. */
  relevance: number;
}

/** One transaction of one organization. Its reads include its own earlier writes. */
export interface UnitOfWork extends UnitHints {
  readonly organizationId: string;
  /** Members, tokens and invitations of the organization. */
  readonly accounts: AccountUnit;
  readonly subscriptions: SubscriptionUnit;
  /** Inbound webhooks of the organization and their deliveries. */
  readonly inbound: InboundUnit;
  /** Outbound webhooks of the organization and their deliveries. */
  readonly outbound: OutboundUnit;
  readonly erasures: ErasureUnit;

  /**
   * Advances the organization's clock to the present, or by one microsecond if it is already past the present. Ticks
   * commit in order, so a reader that has seen one has seen all earlier ones.
   */
  tick(): Promise<Microseconds>;
  /** Sets the organization's clock. Returns false and changes nothing unless `to` is later than its last value. */
  advance(to: Microseconds): Promise<boolean>;
  /** Returns `from`, or a time soon after it, at which no memory was created. */
  freeTime(from: Microseconds): Promise<Microseconds>;

  settings(): Promise<OrganizationSettings>;
  saveSettings(settings: OrganizationSettings): Promise<void>;
  /** Reports if any memory, deleted or not, has a subject key. */
  anySubjectKey(): Promise<boolean>;

  /** Returns soft-deleted memories too, and undefined for unknown and malformed ids. */
  findById(id: string): Promise<Memory | undefined>;
  /** Returns the active memory of this place with exactly this content. */
  findActiveByContent(place: Place, contentHash: string): Promise<Memory | undefined>;
  /** Returns at most `limit` active memories of this place whose contents have this `hashWords`, oldest first. */
  findActiveByWords(place: Place, wordsHash: string, limit: number): Promise<Memory[]>;
  /**
   * Returns the oldest active memory of this place whose content has this `hashFold`. May return a newer one if older
   * ones were stored after newer ones. Memories of an earlier release, with another `hashWords`, are not found.
   *
   * @param hashes both of the same content
   */
  findActiveByFold(place: Place, hashes: Pick<Indexed, 'wordsHash' | 'foldHash'>): Promise<Memory | undefined>;
  /** Returns the active memories that will expire, the earliest first. */
  findExpiring(limit: number): Promise<Memory[]>;
  /** Returns the active memory with this key and scope, or else the one that was deleted last. */
  findByExternalKey(externalKey: string, scope: Scope): Promise<Memory | undefined>;
  /**
   * Returns the cosine of a memory's vector and `embedding`, clipped to [0, 1]. Returns undefined if the memory has no
   * vector of the embedder in the settings. `embedding` has unit length.
   */
  similarityOf(id: string, embedding: Float32Array): Promise<number | undefined>;

  /**
   * Stores a new memory, and lowers `nextExpiry` of the settings to its expiresAt. Its createdAt comes from `tick` or
   * `freeTime`, so it is unique. Its updatedAt is the current time of the organization's clock.
   *
   * @throws {DuplicateMemoryError} here or from `transact`
   */
  insert(memory: Memory, indexed: Indexed, options?: InsertOptions): Promise<void>;
  findVersion(memoryId: string, number: number): Promise<MemoryVersion | undefined>;
  /** Returns the last version of a memory, or undefined if none is kept. */
  findLastVersion(memoryId: string): Promise<MemoryVersion | undefined>;
  /** Returns the highest version number that a memory has ever had, or 0 before its first version. */
  countVersions(memoryId: string): Promise<number>;
  /**
   * Stores an earlier state of a memory, and removes versions beyond `keptVersions` of the settings. Its number is
   * above `countVersions`, and its `replacedAt` is later than that of every other version of the memory.
   */
  insertVersion(version: MemoryVersion): Promise<void>;

  /**
   * Replaces a memory with its new state, and lowers `nextExpiry` as `insert` does. Keeps the former state as a version
   * if `replacesState` is true for the two.
   *
   * @param indexed required if the content changes
   * @throws {DuplicateMemoryError} here or from `transact`
   */
  update(memory: Memory, indexed?: Indexed): Promise<void>;
  /**
   * Removes a soft-deleted memory with its vector and its words. Its tombstone stays in the list of changes.
   *
   * @param at from `tick`
   */
  purge(id: string, at: Microseconds): Promise<void>;
  /** Replaces the vector of a memory and nothing else. */
  replaceEmbedding(id: string, embedding: Float32Array, fingerprint: string): Promise<void>;
  /** Replaces the keyword terms of a memory and nothing else. */
  replaceTerms(id: string, terms: readonly string[]): Promise<void>;

  /** Stores a job that the job queue runs after the unit has committed. */
  enqueue(job: NewJob): Promise<void>;

  recordAudit(event: AuditEvent): Promise<void>;
  /**
   * Adds to the ingest count of a period. Returns false and adds nothing if the count would exceed `cap`.
   *
   * @param period key of a UsagePeriod
   */
  countIngest(period: string, amount: number, cap?: number): Promise<boolean>;
  /** Returns the ingest count of a period. */
  ingested(period: string): Promise<number>;
  /** Returns the sum of `bytesOf` over the organization's active memories. */
  storedBytes(): Promise<number>;
}

export interface InsertOptions {
  /** True if the id comes from an archive, so another organization may have the same id. */
  isForeign?: boolean;
}

/** Optional members of a unit of work. An adapter may omit any of them: no result of the unit depends on them. */
export interface UnitHints {
  /**
   * Announces the unit's reads, so that the store can fetch all of them at once. Called before any other method of the
   * unit. Without it, each read happens when the unit asks for it.
   */
  expect?(expected: Expected): Promise<void>;
}

/** Reads that a unit of work announces. */
export interface Expected {
  writes?: readonly ExpectedWrite[];
  /** Ids of memories. */
  ids?: readonly string[];
  /** Period whose ingest count is read. */
  period?: string;
}

/** Reads of one write: by its content, its near-duplicates and its external key. */
export interface ExpectedWrite extends Place, Pick<Indexed, 'contentHash' | 'wordsHash'> {
  /** Replaces `wordsHash` for memories of an earlier release. */
  formerWordsHash?: string;
  externalKey?: string;
  scope: Scope;
}

/** Values by which a store finds content. */
export interface Indexed {
  /** `hashContent` of the content. */
  contentHash: string;
  /** `hashWords` of the content. */
  wordsHash: string;
  /** `hashFold` of the content. */
  foldHash: string;
  /** `termsOf` the content. */
  terms: readonly string[];
  /** Unit length. */
  embedding: Float32Array;
  /** Fingerprint of the embedder that made the vector. */
  fingerprint: string;
}

/** A write broke a unique index. Services translate it into a response. */
export class DuplicateMemoryError extends Error {
  override name = 'DuplicateMemoryError';
}

/** Nothing was stored and a retry may succeed: the disk is full, or the store is busy or unreachable. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** The disk is full. */
export class StoreFullError extends StoreUnavailableError {
  override name = 'StoreFullError';

  constructor(options?: ErrorOptions) {
    super('The store is unavailable: the disk is full', options);
  }
}

/** The stored data is damaged. The store rejects writes until the operator does what the message says. */
export class StoreDamagedError extends Error {
  override name = 'StoreDamagedError';
}

/** The store cannot be opened until the operator does what the message says. */
export class StoreOpenError extends Error {
  override name = 'StoreOpenError';
}

/** Another process has opened the store, which allows only one. */
export class StoreInUseError extends StoreOpenError {
  override name = 'StoreInUseError';
}
