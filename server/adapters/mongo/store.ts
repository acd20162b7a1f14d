import { BOUNDS } from '../../domain/fairness/bounds.js';
import { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { RateLimitClass, RateLimiter } from '../../ports/rate-limiter.js';
import type { Canary, Store } from '../../ports/store.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { MongoAccountStore } from './accounts/account-store.js';
import { MongoRateLimiter } from './accounts/rate-limiter.js';
import { Standings } from './accounts/standings.js';
import { MongoAuditLog } from './audit/audit-log.js';
import { MongoSubscriptionStore } from './billing/subscription-store.js';
import { MongoUsageMeter } from './billing/usage-meter.js';
import { MongoDeletionStore } from './deletion-store.js';
import { MongoCanary } from './engine/canary-document.js';
import { Collections } from './engine/collections.js';
import { connect, type MongoConnection } from './engine/connection.js';
import { guarded } from './engine/errors.js';
import { OrganizationHold } from './engine/organization-hold.js';
import { Transactions } from './engine/transactions.js';
import { MongoInboundStore } from './inbound/inbound-store.js';
import { MongoJobBackend } from './jobs/job-backend.js';
import { MongoDocumentStore } from './memories/document-chunks.js';
import { MongoErasureStore } from './memories/erasures.js';
import { MongoMemoryReader } from './memories/memory-reader.js';
import { MongoVersionStore } from './memories/memory-versions.js';
import { MongoOutboundStore } from './outbound/outbound-store.js';
import { checkSetUp, type SetUpOptions, setUp } from './set-up.js';
import { MongoUnitOfWork, type UnitContext } from './unit-of-work.js';
import type { VectorSettings } from './vector-index/nearest.js';

export interface MongoStoreOptions {
  /** Connection string with the service's own database. */
  uri: string;
  /** Size of the configured embedder's vectors. */
  dimensions: number;
  now: () => Microseconds;
  /** Creates what the database lacks instead of refusing to open. */
  setsUp?: boolean;
  /** Reads subscriptions with every credential, for a service that needs them in every request. */
  readsSubscriptions?: boolean;
  /** Deadline of a transaction, including retries. */
  deadlineMs?: number;
  /** Longest time until the search index includes a write. Until then the memory is compared separately. */
  indexLagMs?: number;
  /** Searches that match at most this many memories compare all of them. */
  exactRows?: number;
}

const INDEX_LAG_MS = 120_000;
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
    return mongoStoreOn(connection, await checkSetUp(connection.db, options.dimensions), options);
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
  const { now, readsSubscriptions = false, indexLagMs = INDEX_LAG_MS, exactRows = EXACT_ROWS } = options;
  const transactions = new Transactions(connection.client, options.deadlineMs);
  const collections = new Collections(connection.db);
  const standings = new Standings(collections, { withSubscriptions: readsSubscriptions });
  const vectors = { indexed, indexLagMs, exactRows };
  return new MongoStore(connection, { context: { collections, now }, transactions, standings, vectors });
}

/** Creates what a store needs in its database; see `setUp`. @throws {StoreOpenError} */
export async function setUpMongoStore({ uri, ...options }: SetUpOptions & { uri: string }): Promise<void> {
  await using connection = await connect(uri);
  await setUp(connection.db, options);
}

/** The parts of a store on one connection. */
interface MongoStoreParts {
  context: UnitContext;
  transactions: Transactions;
  standings: Standings;
  vectors: VectorSettings;
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
  readonly #transactions: Transactions;
  readonly #context: UnitContext;
  /** Queue of units. Those of one organization in one process wait here, since in the database they would conflict. */
  readonly #writes = new SharedResource('writes', {
    ...BOUNDS.writes,
    capacity: Number.POSITIVE_INFINITY,
    shares: { tenant: 1 },
  });

  constructor(connection: MongoConnection, { context, transactions, standings, vectors }: MongoStoreParts) {
    this.#connection = connection;
    this.#collections = context.collections;
    this.#transactions = transactions;
    this.#context = context;
    this.memories = new MongoMemoryReader(this.#collections, this.#transactions, vectors);
    this.documents = new MongoDocumentStore(this.#collections);
    this.versions = new MongoVersionStore(this.#collections);
    this.erasures = new MongoErasureStore(this.#collections);
    this.accounts = new MongoAccountStore(this.#collections, this.#transactions, standings);
    this.usage = new MongoUsageMeter(this.#collections);
    this.deletions = new MongoDeletionStore(this.#collections, this.usage);
    this.audit = new MongoAuditLog(this.#collections);
    this.subscriptions = new MongoSubscriptionStore(this.#collections);
    this.inbound = new MongoInboundStore(this.#collections);
    this.outbound = new MongoOutboundStore(this.#collections);
    this.canary = new MongoCanary(this.#collections.encryption);
    this.jobs = new MongoJobBackend(this.#collections.jobs);
  }

  get sharedResources(): readonly SharedResource[] {
    return [this.#writes, ...this.memories.sharedResources];
  }

  async transact<T>(organizationId: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    using _ = await this.#writes.wait([{ kind: 'tenant', id: organizationId }]);
    const { result, enqueued, days, deletes } = await this.#transactions.write(async (session, attempt) => {
      const hold = new OrganizationHold(this.#collections, organizationId, session);
      const unit = new MongoUnitOfWork(this.#context, hold, { holdsFirst: attempt > 1 });
      try {
        const returned = await work(unit);
        await unit.flush();
        return { result: returned, enqueued: unit.enqueued, days: unit.days, deletes: unit.accounts.isDeleted };
      } finally {
        unit.end();
      }
    });
    this.jobs.committed(enqueued);
    if (deletes) this.usage.forget(organizationId);
    for (const { day, kind } of days) this.usage.countDaily(organizationId, day, kind);
    return result;
  }

  /** Returns a limiter that counts for every process on this database. */
  rateLimiter(limits: Readonly<Record<RateLimitClass, number>>): RateLimiter {
    return new MongoRateLimiter(this.#collections.rateLimits, limits);
  }

  /** Does nothing: the server frees removed data itself, and never returns it afterwards. */
  async scrub(): Promise<undefined> {
    return undefined;
  }

  async probe(): Promise<undefined> {
    const writtenAt = new Date();
    await guarded(() =>
      this.#collections.probes.updateOne({ _id: 'probe' }, { $set: { writtenAt } }, { upsert: true }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.usage.stop();
    try {
      await this.usage.flush();
    } finally {
      await this.#connection[Symbol.asyncDispose]();
    }
  }
}
