import { join } from 'node:path';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { Canary, IndexUse, Store, VectorSearchTotals } from '../../ports/store.js';
import { OrganizationGoneError, StoreUnavailableError } from '../../ports/store-errors.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import type { JobBackend } from '../agenda/job-backend.js';
import { SqliteAccountStore } from './accounts/account-store.js';
import { RememberedTokens } from './accounts/remembered-tokens.js';
import { AuditBacklog } from './audit/audit-backlog.js';
import { SqliteAuditLog } from './audit/audit-log.js';
import { insertAuditEvent } from './audit/audit-rows.js';
import { SqliteSubscriptionStore } from './billing/subscription-rows.js';
import { SqliteUsageMeter } from './billing/usage-meter.js';
import { commitParticipant } from './commit-participant.js';
import { SqliteDeletionStore } from './deletion-store.js';
import { SqliteCanary } from './engine/canary-row.js';
import { DATABASE_FILE, type Database } from './engine/database.js';
import { DiskRoom } from './engine/folder/disk-room.js';
import { Organizations } from './engine/organizations.js';
import type { PageCheck } from './engine/page-check.js';
import { type ScrubOrder, scrubFiles } from './engine/scrub/scrub.js';
import { SharedRun } from './engine/scrub/shared-run.js';
import { type SweepResult, WRITE_PROBE } from './engine/scrub/sweep.js';
import { workerFile } from './engine/threads/worker-file.js';
import { type WriteAlone, Writer } from './engine/writer.js';
import { Yielder } from './engine/yielder.js';
import { SqliteInboundStore } from './inbound/inbound-store.js';
import { SqliteJobBackend } from './jobs/job-backend.js';
import { StagedJobs } from './jobs/staged-jobs.js';
import { KeywordBacklog } from './keywords/keyword-backlog.js';
import { AbsentContents } from './memories/contents/absent-contents.js';
import { SqliteDocumentStore } from './memories/document-rows.js';
import { SqliteErasureStore } from './memories/erasure-rows.js';
import { PagesAhead } from './memories/lines/pages-ahead.js';
import { SqliteMemoryReader } from './memories/memory-reader.js';
import { MetadataBacklog } from './memories/metadata-backlog.js';
import { SqliteVersionStore } from './memories/version-rows.js';
import { SqliteOutboundStore } from './outbound/outbound-store.js';
import { SqliteUnitOfWork, type UnitContext } from './unit-of-work.js';
import { INDEX_FOLDER } from './vector-index/file/index-folder.js';
import { indexLedger } from './vector-index/index-ledger.js';
import { IndexThread } from './vector-index/reader/index-thread.js';
import { SavedIndexes } from './vector-index/saved-indexes.js';
import type { Scan } from './vector-index/scan/scan.js';
import { ScanThreads } from './vector-index/scan/threads/scan-threads.js';
import { StagedVectors } from './vector-index/staged-vectors.js';
import { VectorIndexes } from './vector-index/vector-indexes.js';
import { vectorSource } from './vector-index/vector-source.js';

/** The fault after which the database must not be used any more, if any. */
export interface Fault {
  error: unknown;
  tell: (error: unknown) => void;
}

/** The parts of a store besides its database. */
export interface SqliteStoreParts {
  /** Folder of the database. */
  dataDir: string;
  now: () => Microseconds;
  fault: Fault;
  /** The scan of the vectors. */
  scan: Scan;
  /** Maximum memory of the vector indexes of all organizations. Beyond it, the least recently used are evicted. */
  indexBytes?: number | undefined;
  /** Minimum number of rows of an organization's index that is saved in a file beside the database. */
  indexFileRows?: number | undefined;
  /** Number of rows up to which the main thread builds an organization's index. Another thread builds larger ones. */
  smallIndexRows?: number | undefined;
  /** The thread that reads large indexes. It ends with the store. Default: a new one, which starts when it is needed. */
  indexThread?: IndexThread | undefined;
  /** The threads that scan the vectors of large organizations. Default: own threads, which end with the store. */
  scanThreads?: ScanThreads | undefined;
  /** Called when one of its own threads ended. From then on the main thread scans its rows. */
  onLostThread?: (error: unknown) => void;
}

/** Indexes with many changes are saved at intervals, so that a start after a crash has little to read. */
const SAVE_INTERVAL_MS = 1_000;
const MIN_SAVED_CHANGES = 1_000;

/** Stores everything in one SQLite file, and also keeps the vectors in memory. */
export class SqliteStore implements Store {
  readonly memories: SqliteMemoryReader;
  readonly documents: SqliteDocumentStore;
  readonly versions: SqliteVersionStore;
  readonly erasures: SqliteErasureStore;
  readonly deletions: SqliteDeletionStore;
  readonly accounts: SqliteAccountStore;
  readonly usage: SqliteUsageMeter;
  readonly inbound: SqliteInboundStore;
  /** The backend of the job queue. */
  readonly jobs: JobBackend;
  readonly audit: SqliteAuditLog;
  readonly subscriptions: SqliteSubscriptionStore;
  readonly outbound: SqliteOutboundStore;
  readonly canary: Canary;
  readonly #database: Database;
  readonly #organizations: Organizations;
  readonly #savedIndexes: SavedIndexes;
  readonly #indexThread: IndexThread;
  readonly #indexes: VectorIndexes;
  readonly #ownThreads: ScanThreads | undefined;
  readonly #context: UnitContext;
  readonly #pages = new PagesAhead();
  readonly #writer: Writer;
  readonly #scrubbing: SharedRun;
  readonly #now: () => Microseconds;
  readonly #fault: Fault;
  readonly #room: DiskRoom;
  readonly #saving: NodeJS.Timeout;
  #isIndexingQueued = false;
  #pageCheck: PageCheck | undefined;
  #closed: Promise<void> | undefined;

  constructor(database: Database, options: SqliteStoreParts) {
    const {
      dataDir,
      fault,
      indexBytes,
      indexFileRows,
      indexThread = new IndexThread(),
      now,
      onLostThread,
      scan,
      smallIndexRows: smallRows,
    } = options;
    const { reader, writer: connection } = database;
    this.#database = database;
    this.#now = now;
    this.#fault = fault;
    this.#room = new DiskRoom(dataDir);
    this.#organizations = new Organizations(reader);
    const threads = options.scanThreads ?? new ScanThreads({ onLost: onLostThread });
    this.#ownThreads = threads === options.scanThreads ? undefined : threads;
    // The writer is created later, since its commits are staged for these indexes.
    const ledger = indexLedger(reader, connection, (work) => this.#writer.run(work));
    this.#indexThread = indexThread;
    const path = join(dataDir, DATABASE_FILE);
    this.#savedIndexes = new SavedIndexes(
      { folder: join(dataDir, INDEX_FOLDER), database: path },
      ledger,
      (order) => indexThread.readFile(order),
      indexFileRows,
    );
    this.#indexes = new VectorIndexes(
      vectorSource(reader),
      { scan, threads },
      {
        archive: this.#savedIndexes,
        budgetBytes: indexBytes,
        smallRows,
        readAside: (org, vectors) => indexThread.readDatabase({ database: path, org, vectors }),
      },
    );
    const yielder = new Yielder();
    const vectors = new StagedVectors(this.#indexes);
    const keywords = new KeywordBacklog(connection, yielder);
    const metadata = new MetadataBacklog(connection);
    const audit = new AuditBacklog(connection);
    const absent = new AbsentContents();
    this.usage = new SqliteUsageMeter(reader, this.#organizations, {
      commit: () => this.#flush(),
      write: (work) => this.#writer.run(async () => work(connection), { kind: 'service', id: 'usage' }),
    });
    const jobs = new StagedJobs();
    const tokens = new RememberedTokens();
    connection.observe((sql) => tokens.note(sql));
    const written = { vectors, keywords, metadata, audit, usage: this.usage, jobs, tokens, pages: this.#pages };
    const participants = { log: database.log, connection, yielder, ...written };
    const store = {
      requireAlone: () => this.#requireAlone(),
      requireSound: () => this.#requireSound(),
      refused: (error: unknown) => this.#room.refused(error),
      continueIndexing: () => this.#continueIndexing(),
    };
    this.#writer = new Writer(connection, commitParticipant(participants, store), yielder);
    const thread = database.addThread<ScrubOrder, SweepResult>(workerFile('engine/scrub/scrub-worker'));
    this.#scrubbing = new SharedRun(async () => {
      const { keywords } = this.#context;
      for (let isFirst = true; await this.#writer.run(() => keywords.mergeOn(isFirst)); isFirst = false);
      await scrubFiles(thread, this.#writer, database.file);
    });
    this.canary = new SqliteCanary(reader, connection, (work) => this.#writer.run(work));
    this.#context = { connection, vectors, keywords, metadata, audit, absent, jobs, yielder, now };
    // A save that failed is retried at the next interval.
    const save = () => this.#indexes.save(MIN_SAVED_CHANGES).catch(() => {});
    this.#saving = setInterval(save, SAVE_INTERVAL_MS).unref();
    this.jobs = new SqliteJobBackend(reader, connection, this.#writer, jobs);
    this.memories = new SqliteMemoryReader({
      database,
      organizations: this.#organizations,
      indexes: this.#indexes,
      backlog: keywords,
      pages: this.#pages,
      absent,
    });
    this.documents = new SqliteDocumentStore(reader, this.#organizations);
    this.versions = new SqliteVersionStore(reader, this.#organizations);
    this.erasures = new SqliteErasureStore(reader, this.#organizations);
    const removing = { reader, connection, writer: this.#writer, yielder, keywords, indexes: this.#indexes };
    this.deletions = new SqliteDeletionStore(removing);
    this.audit = new SqliteAuditLog(reader, this.#organizations, audit, (work) =>
      this.#writer.run(async () => work(connection), { kind: 'service', id: 'audit' }),
    );
    this.subscriptions = new SqliteSubscriptionStore(reader, this.#organizations);
    const alone: WriteAlone = async (id, work) => {
      this.#requireSound();
      return this.#writer.run(async () => work(connection), { kind: 'tenant', id });
    };
    this.inbound = new SqliteInboundStore(reader, this.#organizations, alone);
    this.outbound = new SqliteOutboundStore(reader, this.#organizations, alone);
    this.accounts = new SqliteAccountStore(database, this.#writer, this.#organizations, {
      remembered: tokens,
      recordAudit: insertAuditEvent,
    });
  }

  get sharedResources(): readonly Pick<SharedResource, 'name' | 'use'>[] {
    return [...this.memories.sharedResources, this.#writer];
  }

  indexUse(): IndexUse {
    return this.#indexes.use;
  }

  vectorSearches(): VectorSearchTotals {
    return this.memories.vectorSearches;
  }

  async transact<T>(organizationId: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    this.#requireSound();
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) throw new OrganizationGoneError(organizationId);
    const { result, days, deletes } = await this.#writer.run(
      async () => {
        this.#pages.unitBegins(org);
        const unit = new SqliteUnitOfWork(this.#context, organizationId, org);
        if (!unit.isCurrent) throw new OrganizationGoneError(organizationId);
        try {
          const result = await work(unit);
          unit.write();
          return { result, days: unit.days, deletes: unit.accounts.isDeleted };
        } finally {
          unit.end();
        }
      },
      { kind: 'tenant', id: organizationId },
    );
    for (const { day, kind } of days) this.usage.countDaily(organizationId, day, kind);
    if (deletes) this.#forget(organizationId, org);
    return result;
  }

  async probe(): Promise<string | undefined> {
    this.#requireSound();
    await this.#room.require();
    await this.#writer.run(async () => this.#database.writer.run(WRITE_PROBE, this.#now()));
    this.#database.reader.get('SELECT written_at FROM probes');
    return this.#pageCheck?.remark;
  }

  async scrub(organizationId: string): Promise<{ retryAfterMs: number } | undefined> {
    const org = this.#organizations.keyOf(organizationId);
    if (org !== undefined) await this.#indexes.unsave(org);
    return this.#scrubbing.run();
  }

  /**
   * Loads the vector indexes that have large files, and starts the check of the pages of a large database. Other indexes
   * are small: the first search loads or builds each, so that idle organizations cost nothing.
   *
   * @param started until it resolves, only the index with the newest file is loaded, because each takes the main thread
   * some milliseconds
   */
  async warm(started?: Promise<void>): Promise<void> {
    for (const [at, org] of this.#savedIndexes.recentFirst().entries()) {
      if (at > 0) await started;
      if (this.#closed) return;
      await this.#indexes.warm(org).catch((error: unknown) => {
        // A store that closes meanwhile has no database to build an index from.
        if (!this.#closed) throw error;
      });
    }
    await started;
    if (this.#closed) return;
    // Its process would share the processors with the first searches.
    this.#pageCheck ??= this.#database.checkPages();
  }

  async preparePending(organizationId: string): Promise<void> {
    const org = this.#organizations.keyOf(organizationId);
    if (org !== undefined) await this.#indexes.prepare(org);
  }

  /** Number of commits since the start. Units that waited together share one. */
  get commits(): number {
    return this.#writer.commits;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    this.usage.stop();
    this.#pageCheck?.stop();
    clearInterval(this.#saving);
    try {
      await this.#writeRest().finally(() => this.#endThreads());
      if (this.#fault.error === undefined) this.#database.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      await this.#ownThreads?.[Symbol.asyncDispose]();
      this.#database.close();
    }
  }

  /** Ends all threads that read the database. Otherwise its log could not be emptied. */
  async #endThreads(): Promise<void> {
    await Promise.all([this.#database.endThreads(), this.#indexThread[Symbol.asyncDispose]()]);
  }

  async #writeRest(): Promise<void> {
    if (this.#fault.error === undefined) await this.#indexes.save(1);
    this.#indexes.stop();
    if (this.#fault.error === undefined) await this.#writer.run(() => this.#context.keywords.writeAll());
    await this.#writer.close();
  }

  /** Drops what is in memory of an organization that was deleted. */
  #forget(organizationId: string, org: number): void {
    this.#organizations.forget(organizationId);
    this.usage.forget(org);
    this.#indexes.forget(org);
  }

  #flush(): void {
    // The counts of a failed commit wait for the next one.
    this.#writer.run(async () => {}).catch(() => {});
  }

  /** Lets a commit write the next part of the keyword backlog. If it fails, the next commit of any unit does. */
  #continueIndexing(): void {
    if (this.#isIndexingQueued) return;
    this.#isIndexingQueued = true;
    const end = async () => {
      this.#isIndexingQueued = false;
    };
    this.#writer.run(end, { kind: 'service', id: 'keywords' }).catch(end);
  }

  #requireSound(): void {
    const { error } = this.#fault;
    if (error === undefined) return;
    throw new StoreUnavailableError('The database failed: restart the service', { cause: error });
  }

  /** Fails if the lock was lost, since a second process could write without this one knowing. */
  #requireAlone(): void {
    if (this.#fault.error === undefined && !this.#database.isHeld()) {
      const message = 'memory.lock was removed while the service ran, and another process may be using the data folder';
      this.#fault.error = new Error(`${message}: start only one service on it, and do not change its files`);
      this.#fault.tell(this.#fault.error);
    }
    this.#requireSound();
  }
}
