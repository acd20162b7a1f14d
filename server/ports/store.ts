import type { SharedResource } from '../domain/fairness/shared-resource.js';
import type { AccountStore } from './account-store.js';
import type { AuditLog } from './audit-log.js';
import type { DeletionStore } from './deletion-store.js';
import type { DocumentStore } from './document-store.js';
import type { ErasureStore } from './erasure-store.js';
import type { InboundStore } from './inbound-store.js';
import type { MemoryReader } from './memory-reader.js';
import type { OutboundStore } from './outbound-store.js';
import type { SubscriptionStore } from './subscription-store.js';
import type { UnitOfWork } from './unit-of-work.js';
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
  readonly deletions: DeletionStore;
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
   * @throws {OrganizationGoneError} if the organization does not exist
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
   * Builds the indexes for the first searches and starts to check for damage. Called once, while the service starts.
   * Without it, the first search of an organization may take longer.
   *
   * @param started resolves when the service has started. Work that would delay that waits for it
   */
  warm?(started?: Promise<void>): Promise<void>;

  /**
   * Builds the index of an organization's pending vectors, so that searches need not wait for it when they become the
   * searched ones. Called when all of them are stored.
   */
  preparePending?(organizationId: string): Promise<void>;

  /**
   * Reports the memory use of the vector indexes in this process. Without it, the health check omits the figures and
   * the metrics report 0.
   */
  indexUse?(): IndexUse;
  /** Reports what vector searches in this process read so far. Without it, the metrics report 0. */
  vectorSearches?(): VectorSearchTotals;
  /** Reports the search indexes of the database, if it builds them on its own. */
  searchIndexes?(): readonly SearchIndexState[];
  /** Bounded resources inside the store that organizations share, for the metrics. */
  readonly sharedResources?: readonly Pick<SharedResource, 'name' | 'use'>[];
}

/** Memory use of the vector indexes that are loaded. */
export interface IndexUse {
  bytes: number;
  organizations: number;
}

/** Sums over all vector searches since the store was opened, failed ones included. */
export interface VectorSearchTotals {
  searches: number;
  /** Bytes of the vectors that were compared. Searches that shared a pass count it each. */
  bytes: number;
  /** Memories whose stored vectors were compared in full precision. */
  candidates: number;
  /** Time from call to answer, waiting included. */
  durationMs: number;
}

/** State of a search index that includes writes some time after their commit. */
export interface SearchIndexState {
  name: string;
  isQueryable: boolean;
  /** Time since the newest write that the index is known to include. Undefined if none is known. */
  lagMs: number | undefined;
}
