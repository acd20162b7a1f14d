import { BOUNDS } from '../../domain/fairness/bounds.js';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { RateLimitClass } from '../../ports/rate-limiter.js';
import type { Canary, SearchIndexState, Store } from '../../ports/store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { MongoAccountStore } from './accounts/account-store.js';
import { MongoRateLimiter } from './accounts/rate-limiter.js';
import { MongoRateWindows } from './accounts/rate-windows.js';
import { Standings } from './accounts/standings.js';
import { MongoAuditLog } from './audit/audit-log.js';
import { MongoSubscriptionStore } from './billing/subscription-store.js';
import { MongoUsageMeter } from './billing/usage-meter.js';
import { MongoDeletionStore } from './deletion-store.js';
import { MongoCanary } from './engine/canary-document.js';
import { Collections } from './engine/collections.js';
import { connect, type MongoConnection, POOL_SIZE } from './engine/connection.js';
import { guarded } from './engine/errors.js';
import type { KeywordIndex } from './engine/schema.js';
import { Transactions } from './engine/transactions.js';
import { UnitWriter } from './engine/unit-writer.js';
import { MongoInboundStore } from './inbound/inbound-store.js';
import { IndexWatch } from './index-watch.js';
import { MongoJobBackend } from './jobs/job-backend.js';
import type { KeywordSettings } from './keywords/keyword-search.js';
import { INDEXED_WORDS } from './keywords/words-index.js';
import { MongoDocumentStore } from './memories/document-chunks.js';
import { MongoErasureStore } from './memories/erasures.js';
import { MongoMemoryReader } from './memories/memory-reader.js';
import { MongoVersionStore } from './memories/memory-versions.js';
import { MongoOutboundStore } from './outbound/outbound-store.js';
import { FixedLag, type IndexStates } from './search-index/index-state.js';
import { checkSetUp, type SetUpOptions, setUp } from './set-up.js';
import type { MongoUnitOfWork } from './unit-of-work.js';
import type { VectorSettings } from './vector-index/nearest.js';
import { WriteGroups } from './write-groups.js';

export interface MongoStoreOptions {
  /** Connection string with the service's own database. */
  uri: string;
  /** Size of the configured embedder's vectors. */
  dimensions: number;
  now: () => Microseconds;
  /** The index that keyword searches use. By default the database's own. */
  keywords?: KeywordIndex;
  /** Creates what the database lacks instead of refusing to open. */
  setsUp?: boolean;
  /** Reads subscriptions with every credential, for a service that needs them in every request. */
  readsSubscriptions?: boolean;
  /** Time from the call of a write until it fails, including its place in the queue and retries. */
  deadlineMs?: number;
  /** Fixed time until a search index includes a write, for tests. By default canaries measure it. */
  indexLagMs?: number;
  /** Knowledge about the search indexes, for tests. By default canaries measure it. */
  indexes?: (collections: Collections) => IndexStates;
  /** Searches that match at most this many memories compare all of them. */
  exactRows?: number;
  /** Maximum number of memories that a search compares one by one because a search index does not include them. */
  maxCompared?: number;
  /** Maximum number of memories that a keyword search reads to rank them, if the words of its query are in more. */
  maxRanked?: number;
}

const WRITE_DEADLINE_MS = 10_000;
const MAX_COMPARED = 10_000;
const MAX_RANKED = 10_000;
/** Default of `exactRows`. */
export const EXACT_ROWS = 5_000;

/**
 * Opens the store on a deployment with Vector Search. Many processes may have it open.
 *
 * @throws {StoreOpenError} when the deployment cannot be reached, or is not set up
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<MongoStore> {
  const connection = await connect(options.uri);
  try {
    if (options.setsUp) await setUp(connection.db, options);
    return mongoStoreOn(connection, await checkSetUp(connection.db, options), options);
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Returns a store on a connection, which it closes at its end.
 *
 * @param indexed the result of `checkSetUp` for the database
 */
export function mongoStoreOn(
  connection: MongoConnection,
  indexed: ReadonlySet<string>,
  options: Omit<MongoStoreOptions, 'uri'>,
): MongoStore {
  const { now, readsSubscriptions = false, indexLagMs, exactRows = EXACT_ROWS, keywords = 'index' } = options;
  const { deadlineMs = WRITE_DEADLINE_MS, maxRanked = MAX_RANKED } = options;
  const collections = new Collections(connection.db);
  const standings = new Standings(collections, { withSubscriptions: readsSubscriptions });
  const byDefault = indexLagMs === undefined ? watching(keywords) : () => new FixedLag(indexed, indexLagMs);
  const { indexes: open = byDefault, maxCompared = MAX_COMPARED } = options;
  const indexes = open(collections);
  return new MongoStore(connection, {
    collections,
    now,
    deadlineMs,
    standings,
    vectors: { indexes, exactRows, maxCompared },
    keywords: { maxRanked, maxCompared, ...(keywords === 'search' && { indexes }) },
  });
}

function watching(keywords: KeywordIndex): (collections: Collections) => IndexWatch {
  return ({ memories }) => {
    const watch = new IndexWatch(memories, keywords === 'search' ? INDEXED_WORDS : undefined);
    watch.start();
    return watch;
  };
}

/** Creates what a store needs in its database; see `setUp`. @throws {StoreOpenError} */
export async function setUpMongoStore({ uri, ...options }: SetUpOptions & { uri: string }): Promise<void> {
  await using connection = await connect(uri);
  await setUp(connection.db, options);
}

/** The parts of a store on one connection. */
interface MongoStoreParts {
  collections: Collections;
  now: () => Microseconds;
  deadlineMs: number;
  standings: Standings;
  vectors: VectorSettings;
  keywords: KeywordSettings;
}

/** A store in one MongoDB database, which many processes may share. */
export class MongoStore implements Store {
  readonly memories: MongoMemoryReader;
  readonly documents: MongoDocumentStore;
  readonly versions: MongoVersionStore;
  readonly erasures: MongoErasureStore;
  readonly deletions: MongoDeletionStore;
  readonly accounts: MongoAccountStore;
  readonly usage: MongoUsageMeter;
  readonly audit: MongoAuditLog;
  readonly subscriptions: MongoSubscriptionStore;
  readonly inbound: MongoInboundStore;
  readonly outbound: MongoOutboundStore;
  readonly canary: Canary;
  /** Jobs for the job queue. */
  readonly jobs: MongoJobBackend;
  readonly #connection: MongoConnection;
  readonly #collections: Collections;
  readonly #writes: WriteGroups;
  readonly #indexes: IndexStates;
  readonly #limiters: MongoRateLimiter[] = [];
  readonly #openedAt = performance.now();

  constructor(connection: MongoConnection, parts: MongoStoreParts) {
    const { collections, now, deadlineMs, standings, vectors, keywords } = parts;
    this.#connection = connection;
    this.#collections = collections;
    this.#indexes = vectors.indexes;
    const { client } = connection;
    const transactions = new Transactions(client, deadlineMs);
    const onCommitted = (unit: MongoUnitOfWork) => this.#committed(unit);
    const context = { collections, transactions, writer: new UnitWriter(client), now, onCommitted };
    this.#writes = new WriteGroups(context);
    const readsInUse = readsFor(client.options.maxPoolSize);
    this.memories = new MongoMemoryReader(this.#collections, transactions, { vectors, keywords, readsInUse });
    this.documents = new MongoDocumentStore(this.#collections);
    this.versions = new MongoVersionStore(this.#collections);
    this.erasures = new MongoErasureStore(this.#collections);
    this.accounts = new MongoAccountStore(this.#collections, transactions, standings);
    this.usage = new MongoUsageMeter(this.#collections);
    this.deletions = new MongoDeletionStore(this.#collections, this.usage);
    this.audit = new MongoAuditLog(this.#collections);
    this.subscriptions = new MongoSubscriptionStore(this.#collections);
    this.inbound = new MongoInboundStore(this.#collections);
    this.outbound = new MongoOutboundStore(this.#collections);
    this.canary = new MongoCanary(this.#collections.encryption);
    this.jobs = new MongoJobBackend(this.#collections.jobs);
  }

  get sharedResources(): readonly Pick<SharedResource, 'name' | 'use'>[] {
    return [this.#writes, ...this.memories.sharedResources];
  }

  transact<T>(organizationId: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return this.#writes.run(organizationId, work);
  }

  #committed({ organizationId, enqueued, days, accounts }: MongoUnitOfWork): void {
    this.jobs.committed(enqueued);
    if (accounts.isDeleted) this.usage.forget(organizationId);
    for (const { day, kind } of days) this.usage.countDaily(organizationId, day, kind);
  }

  searchIndexes(): readonly SearchIndexState[] {
    return this.#indexes.states();
  }

  /** Returns a limiter that counts for every process on this database. */
  rateLimiter(limits: Readonly<Record<RateLimitClass, number>>): MongoRateLimiter {
    const limiter = new MongoRateLimiter(new MongoRateWindows(this.#collections.rateLimits), limits);
    this.#limiters.push(limiter);
    return limiter;
  }

  /** Does nothing: the server frees removed data itself, and never returns it afterwards. */
  async scrub(): Promise<undefined> {
    return undefined;
  }

  async probe(): Promise<string | undefined> {
    const writtenAt = new Date();
    await guarded(() =>
      this.#collections.probes.updateOne({ _id: 'probe' }, { $set: { writtenAt } }, { upsert: true }),
    );
    return warningOf(this.#indexes.states(), performance.now() - this.#openedAt);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.usage.stop();
    await this.#indexes.stop();
    try {
      await this.usage.flush();
      for (const limiter of this.#limiters) await limiter.flush();
    } finally {
      await this.#connection[Symbol.asyncDispose]();
    }
  }
}

/** Returns how many reads may run with a pool of connections, so that some are left for writes. */
function readsFor(poolSize: number): number {
  // A size of 0 has no limit.
  const share = poolSize === 0 ? 1 : poolSize / POOL_SIZE;
  return Math.max(1, Math.floor(BOUNDS.databaseReads.capacity * share));
}

/** Lag of a search index from which operators are warned. */
const LONG_LAG_MS = 120_000;

/**
 * Returns a warning if searches cannot use an index as usual.
 *
 * @param openMs time since the store was opened: at first no write is known to be in an index
 */
function warningOf(states: readonly SearchIndexState[], openMs: number): string | undefined {
  const warnings = states.flatMap(({ name, isQueryable, lagMs }) => {
    if (!isQueryable) return [`the search index ${name} cannot be searched`];
    if (lagMs === undefined) {
      return openMs > LONG_LAG_MS ? [`the search index ${name} is not known to include any write`] : [];
    }
    return lagMs > LONG_LAG_MS ? [`the search index ${name} is ${Math.round(lagMs / 1_000)} s behind`] : [];
  });
  return warnings.length === 0 ? undefined : warnings.join('; ');
}
