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
import { type StoredFields, toMemory } from './engine/memory-documents.js';
import type { OrganizationHold } from './engine/organization-hold.js';
import type { OrganizationState } from './engine/organization-state.js';
import type { Turn } from './group-turns.js';
import type { GroupWrites } from './group-writes.js';
import { MongoInboundUnit } from './inbound/inbound-unit.js';
import { MongoErasureUnit } from './memories/erasures.js';
import type { UnitLookups } from './memories/unit-lookups.js';
import type { UnitMemories } from './memories/unit-memories.js';
import { MongoOutboundUnit } from './outbound/outbound-unit.js';

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
  readonly #now: () => Microseconds;
  readonly #group: GroupWrites;
  readonly #hold: OrganizationHold;
  readonly #turn: Turn;
  readonly #enqueued = new Set<JobName>();
  readonly #days: { day: string; kind: DailyKind }[] = [];
  #isOpen = true;

  /** @param group the writes of all units of the transaction */
  constructor(group: GroupWrites, turn: Turn, now: () => Microseconds) {
    const { collections, hold } = group;
    this.#now = now;
    this.#group = group;
    this.#hold = hold;
    this.#turn = turn;
    const come = () => this.#come();
    const after = <T>(use: () => Promise<T>) => {
      return async () => {
        await come();
        return use();
      };
    };
    const open = after(() => hold.session());
    this.accounts = new MongoAccountUnit(collections, hold.id, open);
    this.subscriptions = new MongoSubscriptionUnit(collections, hold.id, open);
    this.inbound = new MongoInboundUnit(collections, hold.id, open);
    this.erasures = new MongoErasureUnit(
      collections,
      hold.id,
      after(() => group.flushForErasure()),
    );
    const flush = after(() => group.flushOutbound());
    this.outbound = new MongoOutboundUnit(collections, hold.id, group.outbound, { come, open, flush });
  }

  get organizationId(): string {
    return this.#hold.id;
  }

  /** Ends the unit, after its work. Every method throws from now on. */
  end(): void {
    this.#isOpen = false;
  }

  /** Names of the jobs that the unit enqueued. */
  get enqueued(): ReadonlySet<JobName> {
    return this.#enqueued;
  }

  /** Uses by day, to count after the commit. */
  get days(): readonly { day: string; kind: DailyKind }[] {
    return this.#days;
  }

  async tick(): Promise<Microseconds> {
    return (await this.#state()).tick(this.#now());
  }

  async advance(to: Microseconds): Promise<boolean> {
    return (await this.#state()).advance(to);
  }

  async freeTime(from: Microseconds): Promise<Microseconds> {
    return (await this.#lookups()).freeTime(from);
  }

  async settings(): Promise<OrganizationSettings> {
    return { ...(await this.#state()).settings };
  }

  async saveSettings(settings: OrganizationSettings): Promise<void> {
    (await this.#state()).settings = { ...settings };
  }

  async anySubjectKey(): Promise<boolean> {
    return (await (await this.#lookups()).first({ subject: { $gt: '' } })) !== undefined;
  }

  async findById(id: string): Promise<Memory | undefined> {
    return this.#memory(await (await this.#lookups()).byId(id));
  }

  async findActiveByContent(place: Place, contentHash: string): Promise<Memory | undefined> {
    return this.#memory(await (await this.#lookups()).activeByContent(place, contentHash));
  }

  async findActiveByWords(place: Place, wordsHash: string, limit: number): Promise<Memory[]> {
    const found = await (await this.#lookups()).activeByWords(place, wordsHash, limit);
    return found.map((document) => toMemory(this.organizationId, document));
  }

  async findActiveByFold(place: Place, hashes: Pick<Indexed, 'wordsHash' | 'foldHash'>): Promise<Memory | undefined> {
    return this.#memory(await (await this.#lookups()).activeByFold(place, hashes));
  }

  async findExpiring(limit: number): Promise<Memory[]> {
    const found = await (await this.#lookups()).expiring(limit);
    return found.map((document) => toMemory(this.organizationId, document));
  }

  async findByExternalKey(externalKey: string, scope: Scope): Promise<Memory | undefined> {
    return this.#memory(await (await this.#lookups()).byExternalKey(externalKey, scope));
  }

  async similarityOf(id: string, embedding: Float32Array): Promise<number | undefined> {
    const { settings } = await this.#state();
    return this.#group.memories.similarityOf(id, embedding, settings.embeddingFingerprint ?? '');
  }

  async expect(expected: Expected): Promise<void> {
    this.#assertOpen();
    await this.#turn.declare(expected);
  }

  async insert(memory: Memory, indexed: Indexed, { isForeign = false }: InsertOptions = {}): Promise<void> {
    await (await this.#stored()).insert(memory, indexed, isForeign);
  }

  async update(memory: Memory, indexed?: Indexed): Promise<void> {
    await (await this.#stored()).update(memory, indexed);
  }

  async findVersion(memoryId: string, number: number): Promise<MemoryVersion | undefined> {
    return (await this.#stored()).findVersion(memoryId, number);
  }

  async findLastVersion(memoryId: string): Promise<MemoryVersion | undefined> {
    return (await this.#stored()).findLastVersion(memoryId);
  }

  async countVersions(memoryId: string): Promise<number> {
    return (await this.#stored()).countVersions(memoryId);
  }

  async insertVersion(version: MemoryVersion): Promise<void> {
    await (await this.#stored()).insertVersion(version);
  }

  async purge(id: string, at: Microseconds): Promise<void> {
    await (await this.#stored()).purge(id, at);
  }

  async storePending(id: string, pending: EmbeddedBy): Promise<void> {
    await (await this.#stored()).storePending(id, pending);
  }

  async isPendingComplete(): Promise<boolean> {
    return (await this.#stored()).isPendingComplete();
  }

  async deleteFormerVectors(limit: number): Promise<number> {
    return (await this.#stored()).deleteFormerVectors(limit);
  }

  async replaceTerms(id: string, terms: readonly string[]): Promise<void> {
    await (await this.#stored()).replaceTerms(id, terms);
  }

  async enqueue(job: NewJob): Promise<void> {
    await this.#come();
    this.#enqueued.add(job.name);
    this.#group.enqueue(job);
  }

  async recordAudit(event: AuditEvent): Promise<void> {
    await this.#come();
    this.#group.recordAudit(event);
  }

  async countIngest(period: string, amount: number, cap?: number): Promise<boolean> {
    await this.#come();
    return this.#group.ingests.add(period, amount, cap);
  }

  async countDaily(day: string, kind: DailyKind): Promise<void> {
    await this.#come();
    this.#days.push({ day, kind });
  }

  async ingested(period: string): Promise<number> {
    await this.#come();
    return this.#group.ingests.of(period);
  }

  async storedBytes(): Promise<number> {
    return (await this.#state()).bytes;
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new Error('The unit of work has ended');
  }

  async #come(): Promise<void> {
    this.#assertOpen();
    await this.#turn.come();
  }

  async #state(): Promise<OrganizationState> {
    await this.#come();
    return this.#hold.state();
  }

  async #stored(): Promise<UnitMemories> {
    await this.#come();
    return this.#group.memories;
  }

  async #lookups(): Promise<UnitLookups> {
    return (await this.#stored()).lookups;
  }

  #memory(document: StoredFields | undefined): Memory | undefined {
    return document && toMemory(this.organizationId, document);
  }
}
