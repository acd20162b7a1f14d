import type { AuditEvent } from '../../domain/account/audit-event.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import type { DailyKind } from '../../domain/billing/usage-day.js';
import type { Place } from '../../domain/documents/chunk.js';
import { SUBJECT_FACET, subjectText } from '../../domain/filter/memory-facets.js';
import { earlierExpiry } from '../../domain/memory/expiry.js';
import type { Memory, Scope } from '../../domain/memory/memory.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import { clip } from '../../domain/retrieval/similarity.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { NewJob } from '../../ports/job-queue.js';
import type { EmbeddedBy, Expected, Indexed, UnitOfWork } from '../../ports/unit-of-work.js';
import { SqliteAccountUnit } from './accounts/account-unit.js';
import type { AuditBacklog } from './audit/audit-backlog.js';
import { SqliteSubscriptionUnit } from './billing/subscription-rows.js';
import { type CountedUse, UnitUsage } from './billing/unit-usage.js';
import type { Connection } from './engine/connection.js';
import { OrganizationRow } from './engine/organization-row.js';
import type { Yielder } from './engine/yielder.js';
import { SqliteInboundUnit } from './inbound/inbound-unit.js';
import { insertJob } from './jobs/job-rows.js';
import type { StagedJobs } from './jobs/staged-jobs.js';
import { ExpectedRows } from './memories/contents/expected-rows.js';
import { findByFold } from './memories/contents/folded-rows.js';
import { freeTime } from './memories/creation-times.js';
import { SqliteErasureUnit } from './memories/erasure-rows.js';
import { findRow } from './memories/find-rows.js';
import { MEMORY_COLUMNS, type MemoryRow, toMemory } from './memories/memory-rows.js';
import { MemoryWriter, type WriterContext } from './memories/memory-writer.js';
import { countUnembedded, deleteFormerVectors } from './memories/vector-rows.js';
import { countVersions, findLastVersion, findVersion } from './memories/version-rows.js';
import { SqliteOutboundUnit } from './outbound/outbound-unit.js';
import { forgetIndexFile } from './vector-index/index-ledger.js';
import { dotProduct, fromBlob } from './vector-index/vectors.js';

/** The resources that all units of a store use. */
export interface UnitContext extends WriterContext {
  audit: AuditBacklog;
  jobs: StagedJobs;
  yielder: Yielder;
  now: () => Microseconds;
}

// Without the sign, the engine reads all memories in the order of creation, and not the few with these words.
const ACTIVE_BY_WORDS = `SELECT ${MEMORY_COLUMNS} FROM memories m
  WHERE org = ? AND subject_key = ? AND words_hash = ? AND chunk = ? AND deleted_at IS NULL ORDER BY +m.created_at LIMIT +?`;

const EXPIRING = `SELECT ${MEMORY_COLUMNS} FROM memories m
  WHERE org = ? AND deleted_at IS NULL AND expires_at IS NOT NULL ORDER BY expires_at, seq LIMIT +?`;

export class SqliteUnitOfWork implements UnitOfWork {
  readonly organizationId: string;
  readonly accounts: SqliteAccountUnit;
  readonly subscriptions: SqliteSubscriptionUnit;
  readonly inbound: SqliteInboundUnit;
  readonly outbound: SqliteOutboundUnit;
  readonly erasures: SqliteErasureUnit;
  readonly #context: UnitContext;
  readonly #connection: Connection;
  readonly #org: number;
  readonly #memories: MemoryWriter;
  readonly #row: OrganizationRow;
  readonly #usage: UnitUsage;
  readonly #expected: ExpectedRows;
  #isOpen = true;

  constructor(context: UnitContext, organizationId: string, org: number) {
    this.#context = context;
    this.#connection = context.connection;
    this.organizationId = organizationId;
    this.#org = org;
    this.accounts = new SqliteAccountUnit(() => this.#open(), org);
    this.subscriptions = new SqliteSubscriptionUnit(() => this.#open(), org);
    this.inbound = new SqliteInboundUnit(() => this.#open(), organizationId, org, context.yielder);
    this.#row = new OrganizationRow(this.#connection, org);
    this.outbound = new SqliteOutboundUnit(() => this.#open(), org, this.#row, context.yielder);
    this.erasures = new SqliteErasureUnit(() => this.#open(), org);
    this.#usage = new UnitUsage(this.#connection, org, this.#row);
    this.#expected = new ExpectedRows(org, context.absent);
    this.#memories = new MemoryWriter(context, org, this.#row);
  }

  /** Reports if the organization exists and was not deleted, maybe by an earlier unit of the same transaction. */
  get isCurrent(): boolean {
    return this.#row.isCurrent;
  }

  /** The uses by day that the unit counted, which are not written with it. */
  get days(): readonly CountedUse[] {
    return this.#usage.days;
  }

  /** Writes what the unit kept in memory. Called once, when its work succeeded. */
  write(): void {
    this.#row.write();
  }

  /** Makes every later method call throw, since the transaction then belongs to the next unit. */
  end(): void {
    this.#isOpen = false;
  }

  async tick(): Promise<Microseconds> {
    this.#open();
    return this.#row.tick(this.#context.now());
  }

  async advance(to: Microseconds): Promise<boolean> {
    this.#open();
    return this.#row.advance(to);
  }

  async freeTime(from: Microseconds): Promise<Microseconds> {
    return freeTime(this.#open(), this.#org, from);
  }

  async settings(): Promise<OrganizationSettings> {
    return { ...this.#row.state.settings };
  }

  async saveSettings(settings: OrganizationSettings): Promise<void> {
    const { settings: before, vectorSide: side } = this.#row.state;
    const { embeddingFingerprint } = settings;
    const isReplaced = embeddingFingerprint !== before.embeddingFingerprint;
    const vectorSide = isReplaced && embeddingFingerprint === before.pendingFingerprint ? -side : side;
    if (isReplaced && before.embeddingFingerprint !== undefined) forgetIndexFile(this.#open(), this.#org);
    this.#open();
    this.#row.replaceState(settings, vectorSide);
    if (isReplaced || settings.pendingFingerprint !== before.pendingFingerprint) {
      this.#context.vectors.stageReplacement(this.#org);
    }
  }

  async anySubjectKey(): Promise<boolean> {
    const isSubject = 'org = ?1 AND live IN (0, 1) AND facet >= ?2 AND facet < ?3';
    const sql = `SELECT 1 FROM facets WHERE ${isSubject} UNION ALL SELECT 1 FROM metadata_backlog WHERE ${isSubject} LIMIT 1`;
    return this.#open().get(sql, this.#org, SUBJECT_FACET, `${SUBJECT_FACET}~`) !== undefined;
  }

  async findById(id: string): Promise<Memory | undefined> {
    return this.#memory(findRow(this.#open(), this.#org, id));
  }

  async findActiveByContent(place: Place, contentHash: string): Promise<Memory | undefined> {
    return this.#memory(this.#expected.find(this.#open(), place, contentHash));
  }

  async findActiveByWords({ subjectKey, chunk = '' }: Place, wordsHash: string, limit: number): Promise<Memory[]> {
    const subject = subjectText(subjectKey);
    const rows = this.#open().all<MemoryRow>(ACTIVE_BY_WORDS, this.#org, subject, wordsHash, chunk, limit);
    return rows.map((row) => toMemory(this.organizationId, row));
  }

  async findActiveByFold(
    { subjectKey, chunk = '' }: Place,
    { wordsHash, foldHash }: Pick<Indexed, 'wordsHash' | 'foldHash'>,
  ): Promise<Memory | undefined> {
    const query = { subject: subjectText(subjectKey), wordsHash, foldHash, chunk };
    return this.#memory(findByFold(this.#open(), this.#org, query));
  }

  async findExpiring(limit: number): Promise<Memory[]> {
    const rows = this.#open().all<MemoryRow>(EXPIRING, this.#org, limit);
    return rows.map((row) => toMemory(this.organizationId, row));
  }

  async findByExternalKey(externalKey: string, { source, project }: Scope): Promise<Memory | undefined> {
    const find = (state: string) =>
      this.#open().get<MemoryRow>(
        `SELECT ${MEMORY_COLUMNS} FROM memories m
          WHERE org = ? AND external_key = ? AND scope_source = ? AND scope_project = ? AND ${state}`,
        this.#org,
        externalKey,
        source,
        project,
      );
    return this.#memory(
      find('deleted_at IS NULL') ?? find('deleted_at IS NOT NULL ORDER BY deleted_at DESC, seq DESC LIMIT 1'),
    );
  }

  async similarityOf(id: string, embedding: Float32Array): Promise<number | undefined> {
    const sql = `SELECT v.embedding FROM memories m CROSS JOIN vectors v ON v.seq = m.seq * ?
      WHERE m.org = ? AND m.id = ? AND v.fingerprint = (SELECT key FROM fingerprints WHERE fingerprint = ?)`;
    const { settings, vectorSide } = this.#row.state;
    const fingerprint = settings.embeddingFingerprint ?? null;
    const row = this.#open().get<{ embedding: Uint8Array }>(sql, vectorSide, this.#org, id, fingerprint);
    return row && clip(dotProduct(fromBlob(row.embedding), embedding));
  }

  async findVersion(memoryId: string, number: number): Promise<MemoryVersion | undefined> {
    return findVersion(this.#open(), this.#org, memoryId, number);
  }

  async findLastVersion(memoryId: string): Promise<MemoryVersion | undefined> {
    return findLastVersion(this.#open(), this.#org, memoryId);
  }

  async countVersions(memoryId: string): Promise<number> {
    return countVersions(this.#open(), this.#rowOf(memoryId).seq);
  }

  async insertVersion(version: MemoryVersion): Promise<void> {
    await this.#context.yielder.breathe();
    this.#memories.insertVersion(this.#rowOf(version.memoryId), version);
  }

  async expect({ writes = [] }: Expected): Promise<void> {
    this.#expected.read(this.#open(), writes);
  }

  async insert(memory: Memory, indexed: Indexed): Promise<void> {
    await this.#context.yielder.breathe();
    this.#open();
    this.#memories.insert(memory, indexed);
    await this.#expect(memory);
  }

  async update(memory: Memory, indexed?: Indexed): Promise<void> {
    await this.#context.yielder.breathe();
    this.#expected.forget(memory.id);
    this.#memories.update(this.#rowOf(memory.id), memory, indexed);
    await this.#expect(memory);
  }

  async purge(id: string, at: Microseconds): Promise<void> {
    await this.#context.yielder.breathe();
    this.#expected.forget(id);
    this.#memories.purge(this.#rowOf(id), this.organizationId, at);
  }

  async storePending(id: string, pending: EmbeddedBy): Promise<void> {
    await this.#context.yielder.breathe();
    this.#memories.storePending(this.#rowOf(id), this.organizationId, pending);
  }

  async isPendingComplete(): Promise<boolean> {
    this.#row.write();
    return countUnembedded(this.#open(), this.#org, this.#row.state).unembedded === 0;
  }

  async deleteFormerVectors(limit: number): Promise<number> {
    return deleteFormerVectors(this.#open(), this.#org, this.#row.state, limit);
  }

  async replaceTerms(id: string, terms: readonly string[]): Promise<void> {
    await this.#context.yielder.breathe();
    this.#memories.replaceTerms(this.#rowOf(id).seq, terms);
  }

  async enqueue(job: NewJob): Promise<void> {
    insertJob(this.#open(), job);
    this.#context.jobs.stage(job.name);
  }

  async recordAudit(event: AuditEvent): Promise<void> {
    this.#open();
    this.#context.audit.insert(this.#org, event);
  }

  async countIngest(period: string, amount: number, cap?: number): Promise<boolean> {
    if (cap !== undefined && (await this.ingested(period)) + amount > cap) return false;
    this.#open();
    this.#usage.countIngest(period, amount);
    return true;
  }

  async countDaily(day: string, kind: DailyKind): Promise<void> {
    this.#open();
    this.#usage.countDaily(day, kind);
  }

  async ingested(period: string): Promise<number> {
    this.#open();
    return this.#usage.ingested(period);
  }

  async storedBytes(): Promise<number> {
    this.#open();
    return this.#row.bytes;
  }

  #open(): Connection {
    if (!this.#isOpen) throw new Error('The unit of work has ended');
    return this.#connection;
  }

  /** Lowers `nextExpiry` to the time at which a memory expires. */
  async #expect(memory: Memory): Promise<void> {
    const { settings } = this.#row.state;
    const nextExpiry = earlierExpiry(settings.nextExpiry, memory);
    if (nextExpiry !== undefined && nextExpiry !== settings.nextExpiry)
      await this.saveSettings({ ...settings, nextExpiry });
  }

  #memory(row: MemoryRow | undefined): Memory | undefined {
    return row && toMemory(this.organizationId, row);
  }

  #rowOf(id: string): MemoryRow {
    const row = findRow(this.#open(), this.#org, id);
    if (!row) throw new Error(`There is no memory ${id}`);
    return row;
  }
}
