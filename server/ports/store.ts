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
 * Where everything durable lives. Every adapter must pass
 * `testing/store.suite.ts`; nothing outside the adapters may know which one
 * is in use.
 *
 * Every method of `memories` and of a unit of work is scoped to one
 * organization: a memory of another one does not exist for it.
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
   * Runs `work` in one transaction of the organization: all of what it wrote
   * is durable when the promise resolves, none of it when it rejects. Units
   * of one organization run one after the other, so what a unit reads cannot
   * change before it writes.
   *
   * `work` may run more than once, so it does nothing but read and write
   * through its unit. It must not wait for anything else.
   *
   * @throws {DuplicateMemoryError} when a uniqueness rule of the store was broken
   * @throws {StoreUnavailableError} when nothing was stored and a later try may succeed
   * @throws {ShareExceededError} when too many units of the organization wait, or of all organizations, or no turn
   *   comes in time
   */
  transact<T>(organizationId: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T>;

  /**
   * Makes sure that nothing can be read from the files of the store that was removed from it before: neither from free
   * space, logs and indexes in files, nor from the words of the keyword index. May take minutes for a large store.
   *
   * @returns after how long to ask again, if it cannot begin yet because it would take too much time from others
   * @throws {StoreUnavailableError} when a later try may succeed
   */
  scrub(organizationId: string): Promise<{ retryAfterMs: number } | undefined>;

  /**
   * Resolves when the store can be written and read, with what an operator should know beside that.
   *
   * @throws {StoreUnavailableError} {@link StoreFullError} while writes are refused for lack of space
   */
  probe(): Promise<string | undefined>;
}

/** A known text that the service sealed, kept to see at a start whether its keys are those of the store. */
export interface Canary {
  /** Undefined in a store that has none yet. */
  read(): Promise<string | undefined>;
  /** False, with nothing changed, if there is another one than `former` by now. */
  replace(former: string | undefined, next: string): Promise<boolean>;
}

/** Optional parts of a store. An adapter may leave out any of them: no answer of the store depends on them. */
export interface StoreHints {
  /**
   * Builds what the first searches need, and begins to look for damage. Called once, when requests are already
   * answered; they may run meanwhile. Without it, the first search of an organization may take longer.
   */
  warm?(): Promise<void>;

  /**
   * Reports what the vector indexes use that the store keeps in this process.
   * Without it, the health check leaves the figures out and the metrics report 0.
   */
  indexUse?(): IndexUse;
  /** What organizations share inside the store, for the metrics. Absent if they share nothing that is bounded. */
  readonly sharedResources?: readonly Pick<SharedResource, 'name' | 'use'>[];
}

/** Resident vector indexes. */
export interface IndexUse {
  bytes: number;
  organizations: number;
}

/**
 * Reads of committed state, each one consistent in itself.
 *
 * Reads that may take long have a `signal`. Once it is aborted, the read leaves every queue, ends at its next step and
 * rejects with the reason of the signal.
 */
export interface MemoryReader {
  /** Soft-deleted memories included; undefined for malformed ids too. */
  findById(organizationId: string, id: string): Promise<Memory | undefined>;

  /** For each of some contents, whether an active memory of its subject has exactly that, as whatever chunk. */
  areActive(
    organizationId: string,
    contents: readonly Pick<ExpectedWrite, 'subjectKey' | 'contentHash'>[],
  ): Promise<boolean[]>;

  /**
   * By change, with deleted memories and without a filter, the list has the tombstones of purged memories too. They have
   * nothing left that a filter could match.
   */
  list(organizationId: string, query: ListQuery, signal?: AbortSignal): Promise<Memory[]>;

  /** The ids of active memories that a filter matches, the oldest first, and how many there are. */
  findMatching(organizationId: string, filter: Filter, limit: number): Promise<{ ids: string[]; count: number }>;

  stats(organizationId: string, query: StatsQuery, signal?: AbortSignal): Promise<Stats>;

  /**
   * The best matches by vector, every condition applied before the best are
   * taken. Best first. Only vectors of the embedder that the organization's
   * settings name take part.
   */
  nearest(organizationId: string, query: VectorQuery, signal?: AbortSignal): Promise<Match[]>;

  /**
   * The vector of a memory, soft-deleted ones included, by which `nearest` ranks it; undefined if the memory is unknown
   * or its vector is not of the embedder with that fingerprint.
   */
  findVector(organizationId: string, id: string, fingerprint: string): Promise<Float32Array | undefined>;

  /** The best matches by the words they share with the query. */
  matching(organizationId: string, query: KeywordQuery, signal?: AbortSignal): Promise<KeywordMatches>;

  /** Ids of memories that were soft-deleted, or imported as such, before a time; the earliest first. */
  findDeleted(organizationId: string, before: Microseconds, limit: number): Promise<string[]>;

  /** Some memories, deleted ones included, whose vector another embedder made; empty when there are none left. */
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
  /** By createdAt ascending, createdAt descending, or updatedAt ascending; the id breaks ties. */
  order: 'oldest' | 'newest' | 'changed';
  /** Inclusive lower bound on the time that `order` sorts by. */
  since?: Microseconds;
  /**
   * The list may end after the first memory with which it has more than `maxBytes` of content and metadata, though not
   * before the second memory. No bound unless given.
   */
  maxBytes?: number;
}

export interface StatsQuery extends ReadScope {
  /** Metadata keys to count the values of; only scalar values count. */
  facets: readonly string[];
  /** The most frequent values a facet keeps. */
  valuesPerFacet: number;
}

export interface Stats {
  facets: Record<string, FacetCount[]>;
  /** Memories without the filter. */
  total: number;
  /** Memories with the filter. */
  filtered: number;
}

export interface FacetCount {
  value: Scalar;
  count: number;
}

export interface VectorQuery extends ReadScope {
  /** Unit length, as the organization's embedder made it. */
  vector: Float32Array;
  limit: number;
  /** Only memories at least this similar, in [0, 1]. */
  minSimilarity?: number;
  /** Ranks by the blended score in place of the similarity. */
  recency?: Recency;
  /** Only these memories. */
  ids?: readonly string[];
  /**
   * The best of all that match, whatever that takes: no index may leave one
   * out. Without it a store may answer from an index that misses a few of the
   * best in a large organization.
   */
  exact?: boolean;
}

export interface Match {
  memory: Memory;
  /** Cosine clipped to [0, 1], from the stored vector. */
  similarity: number;
  /** What the ranking went by: the similarity, or its blend with recency. */
  score: number;
}

export interface KeywordQuery extends ReadScope {
  /**
   * Plain words, no syntax. A memory that has any of them matches; rare words
   * weigh more. A store leaves out stop words where a memory has another word of
   * the query, and may leave out words that a large part of a large
   * organization has, where the query has rarer ones. Of more than
   * `MAX_QUERY_TERMS` distinct words only the rarest count, and of more than
   * `MAX_COUNTED_TERMS` the rarest of the longest.
   */
  text: string;
  limit: number;
}

export interface KeywordMatches {
  /** Best first. */
  matches: KeywordMatch[];
  /** Whether the query has more words than were searched for. Common words do not count. */
  wordsLeftOut: boolean;
  /** An upper bound of every relevance, which words that no memory has raise too. */
  most: number;
}

export interface KeywordMatch {
  memory: Memory;
  /** BM25, above 0, comparable within one answer only. */
  relevance: number;
}

/** One transaction of one organization. Reads see what the unit wrote before. */
export interface UnitOfWork extends UnitHints {
  readonly organizationId: string;
  /** Members, tokens and invitations of the organization. */
  readonly accounts: AccountUnit;
  readonly subscriptions: SubscriptionUnit;
  /** Senders of the organization and what they brought. */
  readonly inbound: InboundUnit;
  /** Outbound webhooks of the organization and their deliveries. */
  readonly outbound: OutboundUnit;
  readonly erasures: ErasureUnit;

  /**
   * Advances the organization's clock: the present, or one microsecond after
   * its last value if that is later. Times commit in the order they were
   * given, so a reader that has seen one has seen all before it.
   */
  tick(): Promise<Microseconds>;
  /** Sets the organization's clock to a time that is later than its last value; false, with nothing changed, otherwise. */
  advance(to: Microseconds): Promise<boolean>;
  /** `from` if no memory was created then, else a time soon after it at which none was. */
  freeTime(from: Microseconds): Promise<Microseconds>;

  settings(): Promise<OrganizationSettings>;
  saveSettings(settings: OrganizationSettings): Promise<void>;
  /** Whether any memory, deleted ones included, carries a subject key. */
  anySubjectKey(): Promise<boolean>;

  /** Soft-deleted memories included; undefined for malformed ids too. */
  findById(id: string): Promise<Memory | undefined>;
  /** The active memory of this place with exactly this content. */
  findActiveByContent(place: Place, contentHash: string): Promise<Memory | undefined>;
  /** The active memories of this place whose contents have this `hashWords`, oldest first, at most `limit`. */
  findActiveByWords(place: Place, wordsHash: string, limit: number): Promise<Memory[]>;
  /**
   * The oldest active memory of this place whose content has this `hashFold`; maybe a newer one where older ones were
   * stored after newer ones. Not found are memories of an earlier release, whose `hashWords` was another.
   *
   * @param hashes of one content
   */
  findActiveByFold(place: Place, hashes: Pick<Indexed, 'wordsHash' | 'foldHash'>): Promise<Memory | undefined>;
  /** The active memories that expire, those that expire first at the front. */
  findExpiring(limit: number): Promise<Memory[]>;
  /** The active memory with this key and scope, else the one deleted last. */
  findByExternalKey(externalKey: string, scope: Scope): Promise<Memory | undefined>;
  /**
   * Cosine of a memory's stored vector and one of unit length, clipped to
   * [0, 1]; undefined where it has none of the embedder that the settings name.
   */
  similarityOf(id: string, embedding: Float32Array): Promise<number | undefined>;

  /**
   * Stores a new memory, and lowers `nextExpiry` of the settings to its expiresAt. Its createdAt comes from `tick` or
   * `freeTime`, so that no two are of the same time; its updatedAt is the present time of the clock.
   *
   * @throws {DuplicateMemoryError} here or from `transact`
   */
  insert(memory: Memory, indexed: Indexed, options?: InsertOptions): Promise<void>;
  findVersion(memoryId: string, number: number): Promise<MemoryVersion | undefined>;
  /** The last version of a memory; undefined if none is kept. */
  findLastVersion(memoryId: string): Promise<MemoryVersion | undefined>;
  /** The highest number that a version of a stored memory has had, 0 before the first. */
  countVersions(memoryId: string): Promise<number>;
  /**
   * Stores an earlier state of a stored memory, and removes versions beyond `keptVersions` of the settings. Its number is
   * above `countVersions`, and its `replacedAt` is after that of every other version of the memory.
   */
  insertVersion(version: MemoryVersion): Promise<void>;

  /**
   * Replaces a stored memory with its new state, keeps the former one as a version if `replacesState`, and lowers
   * `nextExpiry` as `insert` does. `indexed` goes with new content.
   * @throws {DuplicateMemoryError} here or from `transact`
   */
  update(memory: Memory, indexed?: Indexed): Promise<void>;
  /**
   * Removes a soft-deleted memory with its vector and its words. A tombstone stays in the list of changes.
   *
   * @param at from `tick`
   */
  purge(id: string, at: Microseconds): Promise<void>;
  /** Exchanges a stored vector, nothing else of the memory. */
  replaceEmbedding(id: string, embedding: Float32Array, fingerprint: string): Promise<void>;
  /** Exchanges the words that a memory is found by, nothing else of it. */
  replaceTerms(id: string, terms: readonly string[]): Promise<void>;

  /** Stores a job, to be run by the job queue once the unit is committed. */
  enqueue(job: NewJob): Promise<void>;

  recordAudit(event: AuditEvent): Promise<void>;
  /**
   * Adds to the ingest count of a period, unless that would bring it over
   * `cap`: then it adds nothing and answers false.
   *
   * @param period key of a UsagePeriod
   */
  countIngest(period: string, amount: number, cap?: number): Promise<boolean>;
  /** The ingest count of a period, what the unit counted included. */
  ingested(period: string): Promise<number>;
  /** The sum of `bytesOf` of the organization's active memories, what the unit wrote included. */
  storedBytes(): Promise<number>;
}

export interface InsertOptions {
  /** The id was made elsewhere, so that another organization may have it too. */
  isForeign?: boolean;
}

/** Optional parts of a unit of work. An adapter may leave out any of them: no answer of the unit depends on them. */
export interface UnitHints {
  /**
   * Announces what the unit will look for, so that the store can read all of it at once. Called before anything
   * else of the unit. Without it, each thing is read when the unit asks for it.
   */
  expect?(expected: Expected): Promise<void>;
}

/** What a unit of work is going to look for. */
export interface Expected {
  writes?: readonly ExpectedWrite[];
  /** Memories by their ids. */
  ids?: readonly string[];
  /** The ingest count of a period. */
  period?: string;
}

/** What a write will look for: its content, and its key or what says about the same. */
export interface ExpectedWrite extends Place, Pick<Indexed, 'contentHash' | 'wordsHash'> {
  /** What a memory of an earlier release is looked up by in place of `wordsHash`. */
  formerWordsHash?: string;
  externalKey?: string;
  scope: Scope;
}

/** What a store looks content up by. */
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

/** The store's word for a broken unique index; services turn it into an answer. */
export class DuplicateMemoryError extends Error {
  override name = 'DuplicateMemoryError';
}

/** Nothing was stored; a later try may succeed (disk full, store busy or out of reach). */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** The disk has no room for the write. */
export class StoreFullError extends StoreUnavailableError {
  override name = 'StoreFullError';

  constructor(options?: ErrorOptions) {
    super('The store is unavailable: the disk is full', options);
  }
}

/** The stored data is damaged: nothing is written any more until the operator does what the message says. */
export class StoreDamagedError extends Error {
  override name = 'StoreDamagedError';
}

/** The store cannot be used at all until the operator does what the message says. */
export class StoreOpenError extends Error {
  override name = 'StoreOpenError';
}

/** Another process has the store, and only one can. */
export class StoreInUseError extends StoreOpenError {
  override name = 'StoreInUseError';
}
