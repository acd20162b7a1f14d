import { join } from 'node:path';
import type { SharedResource } from '../../domain/fairness/shared-resource.js';
import type { Microseconds } from '../../domain/timestamp.js';
import {
  type Canary,
  type IndexUse,
  type Store,
  StoreDamagedError,
  StoreUnavailableError,
  type UnitOfWork,
} from '../../ports/store.js';
import type { JobBackend } from '../agenda/job-backend.js';
import { SqliteAccountStore } from './accounts/account-store.js';
import { RememberedTokens } from './accounts/remembered-tokens.js';
import { SqliteAuditLog } from './audit/audit-log.js';
import { SqliteSubscriptionStore } from './billing/subscription-rows.js';
import { SqliteUsageMeter } from './billing/usage-meter.js';
import { SqliteCanary } from './engine/canary-row.js';
import type { Connection } from './engine/connection.js';
import {
  DATABASE_FILE,
  type Database,
  type DatabaseOptions,
  openDatabase,
  openingError,
  whatToDo,
} from './engine/database.js';
import { DiskRoom } from './engine/disk-room.js';
import { isDamage } from './engine/errors.js';
import type { WriteAheadLog } from './engine/log/write-ahead-log.js';
import { Organizations } from './engine/organizations.js';
import type { PageCheck } from './engine/page-check.js';
import { type ScrubOrder, scrubFiles } from './engine/scrub/scrub.js';
import { SharedRun } from './engine/scrub/shared-run.js';
import { type SweepResult, WRITE_PROBE } from './engine/scrub/sweep.js';
import { wallClock } from './engine/wall-clock.js';
import { workerFile } from './engine/worker-file.js';
import { type CommitParticipant, Writer } from './engine/writer.js';
import { Yielder } from './engine/yielder.js';
import { SqliteInboundStore } from './inbound/inbound-store.js';
import { SqliteJobBackend } from './jobs/job-backend.js';
import { StagedJobs } from './jobs/staged-jobs.js';
import { KeywordBacklog } from './keywords/keyword-backlog.js';
import { SqliteDocumentStore } from './memories/document-rows.js';
import { SqliteErasureStore } from './memories/erasure-rows.js';
import { SqliteMemoryReader } from './memories/memory-reader.js';
import { SqliteVersionStore } from './memories/version-rows.js';
import { SqliteOutboundStore } from './outbound/outbound-store.js';
import { SqliteUnitOfWork, type UnitContext } from './unit-of-work.js';
import { indexLedger } from './vector-index/index-ledger.js';
import { SavedIndexes } from './vector-index/saved-indexes.js';
import { loadScan, type Scan } from './vector-index/scan/scan.js';
import { ScanThreads } from './vector-index/scan/scan-threads.js';
import { StagedVectors } from './vector-index/staged-vectors.js';
import { VectorIndexes } from './vector-index/vector-indexes.js';
import { vectorSource } from './vector-index/vector-source.js';

export interface SqliteStoreOptions extends DatabaseOptions {
  /** Folder of the database; made where it does not exist. One process at a time. */
  dataDir: string;
  now?: () => Microseconds;
  /**
   * Called when going on could lose what was acknowledged (a failed fsync, a
   * damaged database): the process must end. The store refuses everything from then on.
   */
  onFatal?: (error: unknown) => void;
  /** What the vector indexes of all organizations may take in memory; those unused for longest are let go. */
  indexBytes?: number | undefined;
  /** Rows from which on an organization's index is kept in a file beside the database. */
  indexFileRows?: number | undefined;
  /** The scan of the vectors; the native one where that loads. */
  scan?: Scan;
  /** What scans the vectors of large organizations; its own otherwise, which end with the store. */
  scanThreads?: ScanThreads | undefined;
  /** Told when one of its threads ended. What it scanned is scanned by the main thread from then on. */
  onLostThread?: (error: unknown) => void;
}

/**
 * Opens the embedded store.
 *
 * @throws {Error} when another process uses the folder, a newer release wrote it, or the disk does not promise durability
 */
export async function openSqliteStore({ now = wallClock, ...options }: SqliteStoreOptions): Promise<SqliteStore> {
  const scan = options.scan ?? (await loadScan());
  const fault: Fault = { error: undefined, tell: () => {} };
  const onFatal = (error: unknown) => {
    if (fault.error !== undefined) return;
    fault.error = error;
    fault.tell(error);
  };
  const database = openDatabase(options.dataDir, onFatal, options);
  try {
    const store = new SqliteStore(database, { ...options, scan, now, fault });
    // What went wrong before is told by not opening.
    fault.tell = (error) => options.onFatal?.(explained(options.dataDir, error));
    return store;
  } catch (error) {
    database.close();
    throw openingError(options.dataDir, error);
  }
}

/** A fault in words that say what the operator is to do. */
function explained(dataDir: string, error: unknown): unknown {
  if (!isDamage(error)) return error;
  return new StoreDamagedError(whatToDo(join(dataDir, DATABASE_FILE), error), { cause: error });
}

/** Why the database must not be used any more, once that is so. */
interface Fault {
  error: unknown;
  tell: (error: unknown) => void;
}

/** What a store is made of, beside its database. */
interface SqliteStoreParts
  extends Pick<SqliteStoreOptions, 'dataDir' | 'indexBytes' | 'indexFileRows' | 'scanThreads' | 'onLostThread'> {
  scan: Scan;
  now: () => Microseconds;
  fault: Fault;
}

export const INDEX_FOLDER = 'indexes';
/** Indexes that changed a lot are saved now and then, so that a start after a crash has less to read. */
const SAVED_EVERY_MS = 60_000;
const SAVED_AFTER = { changes: 1_000, share: 0.05 };
/** How long one turn of the event loop is spent on units of work. */
const LONGEST_WRITING_MS = 5;

/** Everything in one SQLite file, with the vectors resident besides. */
export class SqliteStore implements Store {
  readonly memories: SqliteMemoryReader;
  readonly documents: SqliteDocumentStore;
  readonly versions: SqliteVersionStore;
  readonly erasures: SqliteErasureStore;
  readonly accounts: SqliteAccountStore;
  readonly usage: SqliteUsageMeter;
  readonly inbound: SqliteInboundStore;
  /** What the job queue runs on. */
  readonly jobs: JobBackend;
  readonly audit: SqliteAuditLog;
  readonly subscriptions: SqliteSubscriptionStore;
  readonly outbound: SqliteOutboundStore;
  readonly canary: Canary;
  readonly #database: Database;
  readonly #organizations: Organizations;
  readonly #indexes: VectorIndexes;
  readonly #ownThreads: ScanThreads | undefined;
  readonly #context: UnitContext;
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
    const { dataDir, fault, indexBytes, indexFileRows, now, onLostThread, scan } = options;
    const { reader, writer: connection } = database;
    this.#database = database;
    this.#now = now;
    this.#fault = fault;
    this.#room = new DiskRoom(dataDir);
    this.#organizations = new Organizations(reader);
    const threads = options.scanThreads ?? new ScanThreads({ onLost: onLostThread });
    this.#ownThreads = threads === options.scanThreads ? undefined : threads;
    this.#indexes = new VectorIndexes(
      vectorSource(reader),
      { scan, threads },
      {
        archive: new SavedIndexes(
          join(dataDir, INDEX_FOLDER),
          // The writer comes later, since what it commits is staged for these indexes.
          indexLedger(reader, connection, (work) => this.#writer.run(work)),
          indexFileRows,
        ),
        budgetBytes: indexBytes,
      },
    );
    const yielder = new Yielder(LONGEST_WRITING_MS);
    const vectors = new StagedVectors(this.#indexes);
    const keywords = new KeywordBacklog(connection, yielder);
    this.usage = new SqliteUsageMeter(reader, this.#organizations, () => this.#flush());
    const jobs = new StagedJobs();
    const tokens = new RememberedTokens();
    const participants = { log: database.log, connection, vectors, keywords, usage: this.usage, jobs, tokens };
    this.#writer = new Writer(connection, this.#participant(participants), yielder);
    const thread = database.addThread<ScrubOrder, SweepResult>(workerFile('engine/scrub/scrub-worker'));
    this.#scrubbing = new SharedRun(async () => {
      const { keywords } = this.#context;
      for (let isFirst = true; await this.#writer.run(() => keywords.mergeOn(isFirst)); isFirst = false);
      await scrubFiles(thread, this.#writer, database.file);
    });
    this.canary = new SqliteCanary(reader, connection, (work) => this.#writer.run(work));
    this.#context = { connection, vectors, keywords, jobs, yielder, now };
    // One that could not be saved is tried again the next time.
    const save = () => this.#indexes.save(SAVED_AFTER).catch(() => {});
    this.#saving = setInterval(save, SAVED_EVERY_MS).unref();
    this.jobs = new SqliteJobBackend(reader, connection, this.#writer, jobs);
    this.memories = new SqliteMemoryReader(database, this.#organizations, this.#indexes, keywords);
    this.documents = new SqliteDocumentStore(reader, this.#organizations);
    this.versions = new SqliteVersionStore(reader, this.#organizations);
    this.erasures = new SqliteErasureStore(reader, this.#organizations);
    this.audit = new SqliteAuditLog(reader, this.#organizations);
    this.subscriptions = new SqliteSubscriptionStore(reader, this.#organizations);
    this.inbound = new SqliteInboundStore(reader, this.#organizations);
    this.outbound = new SqliteOutboundStore(reader, this.#organizations);
    this.accounts = new SqliteAccountStore(database, this.#writer, this.#organizations, tokens);
  }

  get sharedResources(): readonly Pick<SharedResource, 'name' | 'use'>[] {
    return [...this.memories.sharedResources, this.#writer];
  }

  indexUse(): IndexUse {
    return this.#indexes.use;
  }

  async transact<T>(organizationId: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    this.#requireSound();
    const org = this.#organizations.keyOf(organizationId);
    if (org === undefined) throw new Error(`There is no organization ${organizationId}`);
    return this.#writer.run(
      async () => {
        const unit = new SqliteUnitOfWork(this.#context, organizationId, org);
        try {
          return await work(unit);
        } finally {
          unit.end();
        }
      },
      { kind: 'tenant', id: organizationId },
    );
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

  /** Builds the vector indexes, while the pages of a large database are checked. */
  async warm(): Promise<void> {
    this.#pageCheck ??= this.#database.checkPages();
    for (const id of await this.accounts.organizationIds()) {
      const org = this.#organizations.keyOf(id);
      if (org !== undefined) await this.#indexes.warm(org);
    }
  }

  /** Commits so far; units that waited together share one. */
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
      await this.#writeRest().finally(() => this.#database.endThreads());
      if (this.#fault.error === undefined) this.#database.writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      await this.#ownThreads?.[Symbol.asyncDispose]();
      this.#database.close();
    }
  }

  async #writeRest(): Promise<void> {
    if (this.#fault.error === undefined) await this.#indexes.save({ changes: 1, share: 0 });
    if (this.#fault.error === undefined) await this.#writer.run(() => this.#context.keywords.writeAll());
    await this.#writer.close();
  }

  #flush(): void {
    // The counts of a commit that failed wait for the next one.
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
    throw new StoreUnavailableError('The database failed, and the service must be started again', { cause: error });
  }

  /** A process that let a second one in knows nothing of what that one writes. */
  #requireAlone(): void {
    if (this.#fault.error === undefined && !this.#database.isHeld()) {
      const message = 'memory.lock was removed while the service ran, and another process may be using the data folder';
      this.#fault.error = new Error(`${message}: start one service on it, and leave its files alone`);
      this.#fault.tell(this.#fault.error);
    }
    this.#requireSound();
  }

  #participant({ log, connection, vectors, keywords, usage, jobs, tokens }: Participants): CommitParticipant {
    return {
      beforeGroup: () => {
        this.#requireAlone();
        return log.makeRoom();
      },
      unitKept: () => {
        vectors.keep();
        keywords.unitKept();
        jobs.unitKept();
      },
      unitDropped: (error) => {
        this.#room.refused(error);
        vectors.drop();
        keywords.unitDropped();
        jobs.unitDropped();
      },
      beforeCommit: async () => {
        await keywords.beforeCommit();
        usage.write(connection);
        // Found by a reader or a thread since the group began.
        this.#requireSound();
      },
      committed: () => {
        tokens.forget();
        vectors.committed();
        keywords.committed();
        if (keywords.isDraining) this.#continueIndexing();
        usage.committed();
        jobs.committed();
      },
      abandoned: (error) => {
        this.#room.refused(error);
        tokens.forget();
        vectors.abandoned();
        keywords.abandoned();
        usage.abandoned();
        jobs.abandoned();
      },
    };
  }
}

/** What is written, kept and dropped together with the units of a commit. */
interface Participants {
  log: WriteAheadLog;
  connection: Connection;
  vectors: StagedVectors;
  keywords: KeywordBacklog;
  usage: SqliteUsageMeter;
  jobs: StagedJobs;
  tokens: RememberedTokens;
}
