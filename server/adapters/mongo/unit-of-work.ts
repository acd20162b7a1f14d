import type { ClientSession, Filter, Sort } from 'mongodb';
import type { AuditEvent } from '../../domain/audit-event.js';
import type { Memory, Microseconds, Scope, SubjectKey } from '../../domain/memory.js';
import { subjectText } from '../../domain/memory-facets.js';
import type { OrganizationSettings } from '../../domain/organization.js';
import type { JobName, NewJob } from '../../ports/job-queue.js';
import type { Indexed, UnitOfWork } from '../../ports/store.js';
import { MongoAccountUnit } from './account-unit.js';
import type { Collections, MemoryDocument } from './collections.js';
import { type Stored, toStored } from './documents.js';
import { MongoInboundUnit } from './inbound-unit.js';
import { toJobDocument } from './jobs/job-documents.js';
import { toMemory } from './memory-documents.js';
import { MemoryWriter, STORED_FIELDS, type StoredFields } from './memory-writer.js';
import type { OrganizationState } from './organization-state.js';
import { MongoOutboundUnit } from './outbound-unit.js';
import { MongoSubscriptionUnit } from './subscription-store.js';
import { IngestCounts } from './usage-counts.js';
import { fieldOf, similarityTo } from './vectors.js';

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
  readonly #memories: MemoryWriter;
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
    this.#memories = new MemoryWriter(context.collections.memories, organization, session);
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
    return (await this.#find({ subject: { $gt: '' } })) !== undefined;
  }

  async findById(id: string): Promise<Memory | undefined> {
    return this.#memory(await this.#find({ _id: id }));
  }

  async findActiveByContent(subjectKey: SubjectKey | undefined, contentHash: string): Promise<Memory | undefined> {
    return this.#memory(await this.#find({ subject: subjectText(subjectKey), contentHash, live: true }));
  }

  async findActiveByWords(subjectKey: SubjectKey | undefined, wordsHash: string, limit: number): Promise<Memory[]> {
    const filter = { org: this.#open().id, subject: subjectText(subjectKey), wordsHash, live: true };
    const found = await this.#context.collections.memories
      .find<StoredFields>(filter, { session: this.#session, projection: STORED_FIELDS })
      .sort({ createdAt: 1 })
      .limit(limit)
      .toArray();
    return found.map((document) => toMemory(this.organizationId, document));
  }

  async findByExternalKey(externalKey: string, { source, project }: Scope): Promise<Memory | undefined> {
    const keyed = { externalKey, source, project };
    const active = await this.#find({ ...keyed, live: true });
    return this.#memory(active ?? (await this.#find({ ...keyed, live: false }, { deletedAt: -1, createdAt: -1 })));
  }

  async similarityOf(id: string, embedding: Float32Array): Promise<number | undefined> {
    const { id: org, settings } = this.#open();
    const projection = { [`embedding.${fieldOf(embedding.length)}`]: 1 };
    const filter = { _id: id, org, fingerprint: settings.embeddingFingerprint ?? '' };
    const document = await this.#context.collections.memories.findOne(filter, { session: this.#session, projection });
    return document ? similarityTo(embedding, document) : undefined;
  }

  async insert(memory: Memory, indexed: Indexed): Promise<void> {
    this.#open();
    await this.#memories.insert(memory, indexed);
  }

  async update(memory: Memory, indexed?: Indexed): Promise<void> {
    const stored = await this.#find({ _id: memory.id });
    if (!stored) throw new Error(`There is no memory ${memory.id}`);
    await this.#memories.update(stored, memory, indexed);
  }

  async replaceEmbedding(id: string, embedding: Float32Array, fingerprint: string): Promise<void> {
    this.#open();
    await this.#memories.replaceEmbedding(id, embedding, fingerprint);
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

  async #find(filter: Filter<MemoryDocument>, sort?: Sort): Promise<StoredFields | undefined> {
    const scoped = { org: this.#open().id, ...filter };
    const options = { session: this.#session, projection: STORED_FIELDS, ...(sort && { sort }) };
    return (await this.#context.collections.memories.findOne<StoredFields>(scoped, options)) ?? undefined;
  }

  #memory(document: StoredFields | undefined): Memory | undefined {
    return document && toMemory(this.organizationId, document);
  }
}
