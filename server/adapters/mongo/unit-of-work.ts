import type { ClientSession } from 'mongodb';
import type { AuditEvent } from '../../domain/audit-event.js';
import type { Memory, Microseconds, Scope, SubjectKey } from '../../domain/memory.js';
import type { OrganizationSettings } from '../../domain/organization.js';
import type { JobName, NewJob } from '../../ports/job-queue.js';
import type { ExpectedWrite, Indexed, UnitOfWork } from '../../ports/store.js';
import { MongoAccountUnit } from './account-unit.js';
import type { Collections } from './collections.js';
import { type Stored, toStored } from './documents.js';
import { MongoInboundUnit } from './inbound-unit.js';
import { toJobDocument } from './jobs/job-documents.js';
import { type StoredFields, toMemory } from './memory-documents.js';
import type { OrganizationState } from './organization-state.js';
import { MongoOutboundUnit } from './outbound-unit.js';
import { MongoSubscriptionUnit } from './subscription-store.js';
import { UnitMemories } from './unit-memories.js';
import { IngestCounts } from './usage-counts.js';

/** What all units of a store work with. */
export interface UnitContext {
  collections: Collections;
  now: () => Microseconds;
}

export class MongoUnitOfWork implements UnitOfWork {
  readonly accounts: MongoAccountUnit;
  readonly subscriptions: MongoSubscriptionUnit;
  readonly inbound: MongoInboundUnit;
  readonly outbound: MongoOutboundUnit;
  readonly #context: UnitContext;
  readonly #session: ClientSession;
  readonly #organization: OrganizationState;
  readonly #memories: UnitMemories;
  readonly #auditEvents: Stored<AuditEvent>[] = [];
  readonly #jobs: NewJob[] = [];
  readonly #ingests: IngestCounts;
  #isOpen = true;

  constructor(context: UnitContext, organization: OrganizationState, session: ClientSession) {
    this.#context = context;
    this.#session = session;
    this.#organization = organization;
    this.#ingests = new IngestCounts(context.collections, organization.id, session);
    const open = () => {
      this.#open();
      return session;
    };
    this.accounts = new MongoAccountUnit(context.collections, organization.id, open);
    this.subscriptions = new MongoSubscriptionUnit(context.collections, organization.id, open);
    this.inbound = new MongoInboundUnit(context.collections, organization.id, open);
    this.outbound = new MongoOutboundUnit(context.collections, organization.id, open);
    this.#memories = new UnitMemories(context.collections.memories, organization, session);
  }

  get organizationId(): string {
    return this.#organization.id;
  }

  /** From here on every method throws: the transaction is over. */
  end(): void {
    this.#isOpen = false;
  }

  /** Names of the jobs that the unit enqueued. */
  get enqueued(): ReadonlySet<JobName> {
    return new Set(this.#jobs.map(({ name }) => name));
  }

  /** Writes what was kept until the end. */
  async flush(): Promise<void> {
    const { collections } = this.#context;
    const session = this.#session;
    await this.#memories.flush();
    await this.outbound.flush();
    if (this.#auditEvents.length > 0) await collections.auditEvents.insertMany(this.#auditEvents, { session });
    if (this.#jobs.length > 0) await collections.jobs.insertMany(this.#jobs.map(toJobDocument), { session });
    await this.#ingests.save();
    await this.#organization.save(collections, session);
  }

  async tick(): Promise<Microseconds> {
    return this.#open().tick(this.#context.now());
  }

  async settings(): Promise<OrganizationSettings> {
    return { ...this.#open().settings };
  }

  async saveSettings(settings: OrganizationSettings): Promise<void> {
    this.#open().settings = { ...settings };
  }

  async anySubjectKey(): Promise<boolean> {
    return (await this.#stored().first({ subject: { $gt: '' } })) !== undefined;
  }

  async findById(id: string): Promise<Memory | undefined> {
    return this.#memory(await this.#stored().byId(id));
  }

  async findActiveByContent(subjectKey: SubjectKey | undefined, contentHash: string): Promise<Memory | undefined> {
    return this.#memory(await this.#stored().activeByContent(subjectKey, contentHash));
  }

  async findActiveByWords(subjectKey: SubjectKey | undefined, wordsHash: string, limit: number): Promise<Memory[]> {
    const found = await this.#stored().activeByWords(subjectKey, wordsHash, limit);
    return found.map((document) => toMemory(this.organizationId, document));
  }

  async findByExternalKey(externalKey: string, scope: Scope): Promise<Memory | undefined> {
    return this.#memory(await this.#stored().byExternalKey(externalKey, scope));
  }

  async similarityOf(id: string, embedding: Float32Array): Promise<number | undefined> {
    const { settings } = this.#open();
    return this.#memories.similarityOf(id, embedding, settings.embeddingFingerprint ?? '');
  }

  async expect(writes: readonly ExpectedWrite[]): Promise<void> {
    await this.#stored().expect(writes);
  }

  async insert(memory: Memory, indexed: Indexed): Promise<void> {
    await this.#stored().insert(memory, indexed);
  }

  async update(memory: Memory, indexed?: Indexed): Promise<void> {
    await this.#stored().update(memory, indexed);
  }

  async replaceEmbedding(id: string, embedding: Float32Array, fingerprint: string): Promise<void> {
    await this.#stored().replaceEmbedding(id, embedding, fingerprint);
  }

  async enqueue(job: NewJob): Promise<void> {
    this.#open();
    this.#jobs.push(job);
  }

  async recordAudit(event: AuditEvent): Promise<void> {
    this.#auditEvents.push(toStored(this.#open().id, event));
  }

  async countIngest(period: string, amount: number, cap?: number): Promise<boolean> {
    this.#open();
    return this.#ingests.add(period, amount, cap);
  }

  async ingested(period: string): Promise<number> {
    this.#open();
    return this.#ingests.of(period);
  }

  #open(): OrganizationState {
    if (!this.#isOpen) throw new Error('The unit of work has ended');
    return this.#organization;
  }

  #stored(): UnitMemories {
    this.#open();
    return this.#memories;
  }

  #memory(document: StoredFields | undefined): Memory | undefined {
    return document && toMemory(this.organizationId, document);
  }
}
