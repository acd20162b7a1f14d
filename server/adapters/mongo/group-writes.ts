import type { ClientSession } from 'mongodb';
import type { AuditEvent } from '../../domain/account/audit-event.js';
import type { NewJob } from '../../ports/job-queue.js';
import type { Expected } from '../../ports/unit-of-work.js';
import { IngestCounts } from './billing/usage-counts.js';
import type { Collections } from './engine/collections.js';
import { type Stored, toStored } from './engine/documents.js';
import type { OrganizationHold } from './engine/organization-hold.js';
import { type PlannedWrites, planned } from './engine/unit-writer.js';
import { foresee, foreseeLocked } from './foresight.js';
import { toJobDocument } from './jobs/job-documents.js';
import { UnitMemories } from './memories/unit-memories.js';
import { OutboundWrites } from './outbound/outbound-writes.js';

/**
 * The reads and pending writes of the units of one transaction. They run one after the other, and each sees the
 * writes of those before it. All is written at the end, so that a usual transaction takes few commands.
 */
export class GroupWrites {
  readonly collections: Collections;
  readonly hold: OrganizationHold;
  readonly memories: UnitMemories;
  readonly outbound: OutboundWrites;
  readonly ingests: IngestCounts;
  #auditEvents: Stored<AuditEvent>[] = [];
  readonly #jobs: NewJob[] = [];

  constructor(collections: Collections, hold: OrganizationHold) {
    this.collections = collections;
    this.hold = hold;
    this.memories = new UnitMemories(collections, hold);
    this.outbound = new OutboundWrites(collections, hold.id);
    this.ingests = new IngestCounts(collections, hold);
  }

  /**
   * Reads the declared data.
   *
   * @param locksFirst locks the organization before, so that no other transaction can write in between
   */
  async foresee(expected: Expected, { locksFirst }: { locksFirst: boolean }): Promise<void> {
    const { collections, hold } = this;
    if (locksFirst) {
      const memories = await foreseeLocked(collections, hold.id, expected, await hold.session());
      if (memories) this.memories.lookups.learn(expected, memories);
      return;
    }
    const { organization, memories, foreignIds, webhooks, ingested } = await foresee(collections, hold.id, expected);
    hold.learn(organization);
    if (memories) this.memories.lookups.learn(expected, memories);
    this.memories.lookups.learnForeign(expected, foreignIds);
    this.outbound.learn(webhooks);
    if (expected.period !== undefined) this.ingests.learn(expected.period, ingested);
  }

  recordAudit(event: AuditEvent): void {
    this.#auditEvents.push(toStored(this.hold.id, event));
  }

  enqueue(job: NewJob): void {
    this.#jobs.push(job);
  }

  /** Writes the pending deliveries before a read that might depend on them. */
  async flushOutbound(): Promise<void> {
    await this.hold.write(...this.outbound.takePlanned());
  }

  /** Writes everything that an erasure may read or remove, and returns the session. */
  async flushForErasure(): Promise<ClientSession> {
    await this.hold.write(...this.#takeRecords());
    return this.hold.session();
  }

  /** Writes the pending writes, if there are any, and the state of the organization first. */
  async flush(): Promise<void> {
    const { collections, hold } = this;
    await hold.state();
    if (!this.#isPending && !hold.isChanged) return;
    const jobs = this.#jobs.map((job) => ({ insertOne: { document: toJobDocument(job) } }));
    const counts = [this.memories.takeCounts(), this.ingests.planned()];
    await hold.save([...this.#takeRecords(), planned(collections.jobs, jobs), ...counts]);
  }

  #takeRecords(): PlannedWrites[] {
    const events = this.#auditEvents.map((document) => ({ insertOne: { document } }));
    this.#auditEvents = [];
    return [
      ...this.memories.takePlanned(),
      ...this.outbound.takePlanned(),
      planned(this.collections.auditEvents, events),
    ];
  }

  get #isPending(): boolean {
    const isKept = this.#auditEvents.length > 0 || this.#jobs.length > 0;
    return isKept || this.memories.isPending || this.outbound.isPending || this.ingests.isPending;
  }
}
