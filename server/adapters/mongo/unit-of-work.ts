import type { ClientSession } from 'mongodb';
import type { AuditEvent } from '../../domain/account/audit-event.js';
import type { OrganizationSettings } from '../../domain/account/organization.js';
import type { DailyKind } from '../../domain/billing/usage-day.js';
import type { Place } from '../../domain/documents/chunk.js';
import type { Memory, Scope } from '../../domain/memory/memory.js';
import type { MemoryVersion } from '../../domain/memory/version.js';
import type { Microseconds } from '../../domain/timestamp.js';
import type { JobName, NewJob } from '../../ports/job-queue.js';
import type { EmbeddedBy, Expected, Indexed, InsertOptions, UnitOfWork } from '../../ports/unit-of-work.js';
import { MongoAccountUnit } from './accounts/account-unit.js';
import { MongoSubscriptionUnit } from './billing/subscription-store.js';
import { IngestCounts } from './billing/usage-counts.js';
import type { Collections } from './engine/collections.js';
import { type Stored, toStored } from './engine/documents.js';
import { type StoredFields, toMemory } from './engine/memory-documents.js';
import type { OrganizationHold } from './engine/organization-hold.js';
import type { OrganizationState } from './engine/organization-state.js';
import { foresee } from './foresight.js';
import { MongoInboundUnit } from './inbound/inbound-unit.js';
import { toJobDocument } from './jobs/job-documents.js';
import { MongoErasureUnit } from './memories/erasures.js';
import { UnitMemories } from './memories/unit-memories.js';
import { MongoOutboundUnit } from './outbound/outbound-unit.js';

/** The dependencies of all units of a store. */
export interface UnitContext {
  collections: Collections;
  now: () => Microseconds;
}

/**
 * One unit of work. It reads the declared data before its transaction and writes at the end, so that a usual write
 * takes few commands. Other reads happen within the transaction, with the organization locked.
 */
export class MongoUnitOfWork implements UnitOfWork {
  readonly accounts: MongoAccountUnit;
  readonly subscriptions: MongoSubscriptionUnit;
  readonly inbound: MongoInboundUnit;
  readonly outbound: MongoOutboundUnit;
  readonly erasures: MongoErasureUnit;
  readonly #context: UnitContext;
  readonly #hold: OrganizationHold;
  readonly #holdsFirst: boolean;
  readonly #memories: UnitMemories;
  readonly #auditEvents: Stored<AuditEvent>[] = [];
  readonly #jobs: NewJob[] = [];
  readonly #ingests: IngestCounts;
  readonly #days: { day: string; kind: DailyKind }[] = [];
  #isOpen = true;

  /** @param holdsFirst locks before reading the declared data, so that no other unit can write in between */
  constructor(context: UnitContext, hold: OrganizationHold, { holdsFirst }: { holdsFirst: boolean }) {
    const { collections } = context;
    this.#holdsFirst = holdsFirst;
    this.#context = context;
    this.#hold = hold;
    this.#ingests = new IngestCounts(collections, hold);
    this.#memories = new UnitMemories(collections, hold);
    const assertOpen = () => this.#assertOpen();
    const open = async () => {
      assertOpen();
      return hold.session();
    };
    this.accounts = new MongoAccountUnit(collections, hold.id, open);
    this.subscriptions = new MongoSubscriptionUnit(collections, hold.id, open);
    this.inbound = new MongoInboundUnit(collections, hold.id, open);
    this.erasures = new MongoErasureUnit(collections, hold.id, async () => {
      const session = await open();
      await this.#memories.flush();
      await this.outbound.flush();
      await this.#flushAudit(session);
      return session;
    });
    this.outbound = new MongoOutboundUnit(collections, hold.id, { open, assertOpen });
  }

  get organizationId(): string {
    return this.#hold.id;
  }

  /** Ends the unit, after its transaction. Every method throws from now on. */
  end(): void {
    this.#isOpen = false;
  }

  /** Names of the jobs that the unit enqueued. */
  get enqueued(): ReadonlySet<JobName> {
    return new Set(this.#jobs.map(({ name }) => name));
  }

  /** Uses by day, to count after the commit. */
  get days(): readonly { day: string; kind: DailyKind }[] {
    return this.#days;
  }

  /** Writes the pending writes, if there are any, and the state of the organization first. */
  async flush(): Promise<void> {
    await this.#hold.state();
    if (!this.#isPending && !this.#hold.isChanged) return;
    const { collections } = this.#context;
    const session = await this.#hold.save();
    await this.#memories.flush();
    await this.outbound.flush();
    await this.#flushAudit(session);
    if (this.#jobs.length > 0) await collections.jobs.insertMany(this.#jobs.map(toJobDocument), { session });
    await this.#ingests.save();
  }

  async tick(): Promise<Microseconds> {
    return (await this.#state()).tick(this.#context.now());
  }

  async advance(to: Microseconds): Promise<boolean> {
    return (await this.#state()).advance(to);
  }

  async freeTime(from: Microseconds): Promise<Microseconds> {
    return this.#stored().freeTime(from);
  }

  async settings(): Promise<OrganizationSettings> {
    return { ...(await this.#state()).settings };
  }

  async saveSettings(settings: OrganizationSettings): Promise<void> {
    (await this.#state()).settings = { ...settings };
  }

  async anySubjectKey(): Promise<boolean> {
    return (await this.#stored().first({ subject: { $gt: '' } })) !== undefined;
  }

  async findById(id: string): Promise<Memory | undefined> {
    return this.#memory(await this.#stored().byId(id));
  }

  async findActiveByContent(place: Place, contentHash: string): Promise<Memory | undefined> {
    return this.#memory(await this.#stored().activeByContent(place, contentHash));
  }

  async findActiveByWords(place: Place, wordsHash: string, limit: number): Promise<Memory[]> {
    const found = await this.#stored().activeByWords(place, wordsHash, limit);
    return found.map((document) => toMemory(this.organizationId, document));
  }

  async findActiveByFold(place: Place, hashes: Pick<Indexed, 'wordsHash' | 'foldHash'>): Promise<Memory | undefined> {
    return this.#memory(await this.#stored().activeByFold(place, hashes));
  }

  async findExpiring(limit: number): Promise<Memory[]> {
    const found = await this.#stored().expiring(limit);
    return found.map((document) => toMemory(this.organizationId, document));
  }

  async findByExternalKey(externalKey: string, scope: Scope): Promise<Memory | undefined> {
    return this.#memory(await this.#stored().byExternalKey(externalKey, scope));
  }

  async similarityOf(id: string, embedding: Float32Array): Promise<number | undefined> {
    const { settings } = await this.#state();
    return this.#memories.similarityOf(id, embedding, settings.embeddingFingerprint ?? '');
  }

  async expect(expected: Expected): Promise<void> {
    this.#assertOpen();
    // The read is outside of the transaction and would not see what the unit has written.
    if (this.#hold.isRead) return;
    if (this.#holdsFirst) await this.#hold.session();
    const { organization, memories, webhooks, ingested } = await foresee(
      this.#context.collections,
      this.organizationId,
      expected,
    );
    this.#hold.learn(organization);
    if (memories) this.#memories.learn(expected, memories);
    this.outbound.learn(webhooks);
    if (expected.period !== undefined) this.#ingests.learn(expected.period, ingested);
  }

  async insert(memory: Memory, indexed: Indexed, { isForeign = false }: InsertOptions = {}): Promise<void> {
    await this.#stored().insert(memory, indexed, isForeign);
  }

  async update(memory: Memory, indexed?: Indexed): Promise<void> {
    await this.#stored().update(memory, indexed);
  }

  async findVersion(memoryId: string, number: number): Promise<MemoryVersion | undefined> {
    return this.#stored().findVersion(memoryId, number);
  }

  async findLastVersion(memoryId: string): Promise<MemoryVersion | undefined> {
    return this.#stored().findLastVersion(memoryId);
  }

  async countVersions(memoryId: string): Promise<number> {
    return this.#stored().countVersions(memoryId);
  }

  async insertVersion(version: MemoryVersion): Promise<void> {
    await this.#stored().insertVersion(version);
  }

  async purge(id: string, at: Microseconds): Promise<void> {
    await this.#stored().purge(id, at);
  }

  async storePending(id: string, pending: EmbeddedBy): Promise<void> {
    await this.#stored().storePending(id, pending);
  }

  async isPendingComplete(): Promise<boolean> {
    return this.#stored().isPendingComplete();
  }

  async deleteFormerVectors(limit: number): Promise<number> {
    return this.#stored().deleteFormerVectors(limit);
  }

  async replaceTerms(id: string, terms: readonly string[]): Promise<void> {
    await this.#stored().replaceTerms(id, terms);
  }

  async enqueue(job: NewJob): Promise<void> {
    this.#assertOpen();
    this.#jobs.push(job);
  }

  async recordAudit(event: AuditEvent): Promise<void> {
    this.#assertOpen();
    this.#auditEvents.push(toStored(this.organizationId, event));
  }

  async countIngest(period: string, amount: number, cap?: number): Promise<boolean> {
    this.#assertOpen();
    return this.#ingests.add(period, amount, cap);
  }

  async countDaily(day: string, kind: DailyKind): Promise<void> {
    this.#assertOpen();
    this.#days.push({ day, kind });
  }

  async ingested(period: string): Promise<number> {
    this.#assertOpen();
    return this.#ingests.of(period);
  }

  async storedBytes(): Promise<number> {
    return (await this.#state()).bytes;
  }

  async #flushAudit(session: ClientSession): Promise<void> {
    const events = this.#auditEvents.splice(0);
    if (events.length > 0) await this.#context.collections.auditEvents.insertMany(events, { session });
  }

  get #isPending(): boolean {
    const isKept = this.#auditEvents.length > 0 || this.#jobs.length > 0;
    return isKept || this.#memories.isPending || this.outbound.isPending || this.#ingests.isPending;
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new Error('The unit of work has ended');
  }

  async #state(): Promise<OrganizationState> {
    this.#assertOpen();
    return this.#hold.state();
  }

  #stored(): UnitMemories {
    this.#assertOpen();
    return this.#memories;
  }

  #memory(document: StoredFields | undefined): Memory | undefined {
    return document && toMemory(this.organizationId, document);
  }
}
