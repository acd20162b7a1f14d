import type { ClientSession } from 'mongodb';
import { parseSubjectText, subjectText } from '../../../domain/filter/memory-facets.js';
import type { Erasure } from '../../../domain/memory/erasure.js';
import type { SubjectKey } from '../../../domain/memory/memory.js';
import type { ErasureStore, ErasureUnit } from '../../../ports/erasure-store.js';
import type { Collections, ErasureDocument } from '../engine/collections.js';
import { partOf, toStored } from '../engine/documents.js';
import { guarded } from '../engine/errors.js';
import { limitedTo } from '../engine/paging.js';

/** Reads erasures, as confirmed by a majority. */
export class MongoErasureStore implements ErasureStore {
  readonly #erasures: Collections['erasures'];

  constructor({ erasures }: Collections) {
    this.#erasures = erasures;
  }

  async find(organizationId: string, id: string): Promise<Erasure | undefined> {
    return toErasure(await guarded(() => this.#erasures.findOne({ _id: id, org: organizationId })));
  }
}

/** The reads and removals of an erasure, in the transaction of one unit of work. */
export class MongoErasureUnit implements ErasureUnit {
  readonly #collections: Collections;
  readonly #org: string;
  readonly #open: () => Promise<ClientSession>;

  /** @param open flushes the pending writes of the unit and returns its session, or throws if the unit has ended */
  constructor(collections: Collections, org: string, open: () => Promise<ClientSession>) {
    this.#collections = collections;
    this.#org = org;
    this.#open = open;
  }

  async find(id: string): Promise<Erasure | undefined> {
    const session = await this.#open();
    return toErasure(await this.#collections.erasures.findOne({ _id: id, org: this.#org }, { session }));
  }

  async findRunning(subjectKey: SubjectKey): Promise<Erasure | undefined> {
    const session = await this.#open();
    const running = { org: this.#org, subject: subjectText(subjectKey) };
    return toErasure(await this.#collections.erasures.findOne(running, { session }));
  }

  async save({ subjectKey, ...erasure }: Erasure): Promise<void> {
    const session = await this.#open();
    const { _id, ...state } = toStored<Omit<Erasure, 'subjectKey'>>(this.#org, erasure);
    const document = { ...state, ...(subjectKey !== undefined && { subject: subjectText(subjectKey) }) };
    await this.#collections.erasures.replaceOne({ _id, org: this.#org }, document, { session, upsert: true });
  }

  async removeVersions(of: { memoryId: string } | { subjectKey: SubjectKey }, limit: number): Promise<string[]> {
    const session = await this.#open();
    const { memoryVersions } = this.#collections;
    const filter =
      'memoryId' in of
        ? { org: this.#org, memoryId: of.memoryId }
        : { org: this.#org, subject: subjectText(of.subjectKey) };
    const found = await memoryVersions
      .find(filter, { session, ...limitedTo(limit), projection: { memoryId: 1 } })
      .toArray();
    if (found.length > 0) await memoryVersions.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session });
    return found.map(({ memoryId }) => memoryId);
  }

  async emptyAuditMetadata(memoryId: string): Promise<number> {
    const session = await this.#open();
    const events = { org: this.#org, memoryId, metadata: { $ne: {} } };
    const { modifiedCount } = await this.#collections.auditEvents.updateMany(
      events,
      { $set: { metadata: {} } },
      { session },
    );
    return modifiedCount;
  }

  async countDeliveries(memoryId: string): Promise<number> {
    const session = await this.#open();
    return this.#collections.outboundDeliveries.countDocuments({ org: this.#org, memoryId }, { session });
  }
}

function toErasure(document: ErasureDocument | null): Erasure | undefined {
  if (!document) return undefined;
  const { subject, ...rest } = document;
  const subjectKey = subject === undefined ? undefined : parseSubjectText(subject);
  return { ...partOf<Erasure>(rest), ...(subjectKey !== undefined && { subjectKey }) };
}
