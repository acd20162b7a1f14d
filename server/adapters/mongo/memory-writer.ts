import type { ClientSession, Collection, Filter } from 'mongodb';
import type { Memory } from '../../domain/memory.js';
import { subjectText } from '../../domain/memory-facets.js';
import { DuplicateMemoryError, type Indexed } from '../../ports/store.js';
import type { MemoryDocument } from './collections.js';
import { MEMORY_FIELDS, toDocument, toUpdate } from './memory-documents.js';
import type { OrganizationState } from './organization-state.js';
import { toEmbedding } from './vectors.js';

/** What a change of a memory depends on. */
export const STORED_FIELDS = { ...MEMORY_FIELDS, live: 1, words: 1, contentHash: 1 } as const;
export type StoredFields = Pick<MemoryDocument, keyof typeof STORED_FIELDS>;

/** Writes memories of the organization that a unit of work holds. */
export class MemoryWriter {
  readonly #memories: Collection<MemoryDocument>;
  readonly #organization: OrganizationState;
  readonly #session: ClientSession;

  constructor(memories: Collection<MemoryDocument>, organization: OrganizationState, session: ClientSession) {
    this.#memories = memories;
    this.#organization = organization;
    this.#session = session;
  }

  /** @throws {DuplicateMemoryError} */
  async insert(memory: Memory, indexed: Indexed): Promise<void> {
    if (memory.createdAt <= this.#organization.newest) {
      throw new Error('A new memory is created later than every other: take createdAt from tick()');
    }
    await this.#assertUnique(memory, indexed.contentHash, [{ _id: memory.id }]);
    const document = toDocument(memory, indexed, new Date());
    await this.#memories.insertOne(document, { session: this.#session });
    this.#organization.newest = memory.createdAt;
    this.#organization.count({ [memory.deletedAt === undefined ? 'active' : 'deleted']: 1, words: document.words });
  }

  /**
   * @param stored the memory as it is
   * @throws {DuplicateMemoryError}
   */
  async update(stored: StoredFields, memory: Memory, indexed?: Indexed): Promise<void> {
    if (!indexed && stored.content !== memory.content)
      throw new Error('New content comes with what it is looked up by');
    const contentHash = indexed?.contentHash ?? stored.contentHash;
    if (isIdentityChanged(stored, memory, contentHash)) await this.#assertUnique(memory, contentHash);
    const change = toUpdate(memory, indexed, new Date());
    const own = { _id: memory.id, org: this.#organization.id };
    const after = await this.#memories.findOneAndUpdate(own, change, {
      session: this.#session,
      projection: { live: 1, words: 1 },
      returnDocument: 'after',
    });
    if (!after) throw new Error(`There is no memory ${memory.id}`);
    const isMoved = stored.live !== after.live;
    const moved = after.live ? 1 : -1;
    this.#organization.count({ ...(isMoved && { active: moved, deleted: -moved }), words: after.words - stored.words });
  }

  async replaceEmbedding(id: string, embedding: Float32Array, fingerprint: string): Promise<void> {
    const set = { embedding: toEmbedding(embedding), fingerprint, indexedAt: new Date() };
    const own = { _id: id, org: this.#organization.id };
    const { matchedCount } = await this.#memories.updateOne(own, { $set: set }, { session: this.#session });
    if (matchedCount === 0) throw new Error(`There is no memory ${id}`);
  }

  /**
   * A unique index that refuses a write ends the transaction, so a unit that
   * may go on looks before it writes. It holds the organization: what it finds
   * stays so.
   */
  async #assertUnique(memory: Memory, contentHash: string, taken: Filter<MemoryDocument>[] = []): Promise<void> {
    const { externalKey, scope } = memory;
    const isLive = memory.deletedAt === undefined;
    const clashes: Filter<MemoryDocument>[] = [
      ...taken,
      ...(isLive ? [{ live: true, subject: subjectText(memory.subjectKey), contentHash }] : []),
      ...(isLive && externalKey !== undefined ? [{ live: true, externalKey, ...scope }] : []),
    ];
    if (clashes.length === 0) return;
    const others = taken.length > 0 ? {} : { _id: { $ne: memory.id } };
    const clash = { $and: [{ org: this.#organization.id, ...others }, { $or: clashes }] };
    const found = await this.#memories.findOne(clash, { session: this.#session, projection: { _id: 1 } });
    if (found) throw new DuplicateMemoryError('another memory has this id, content or key');
  }
}

function isIdentityChanged(stored: StoredFields, memory: Memory, contentHash: string): boolean {
  return (
    stored.contentHash !== contentHash ||
    stored.subject !== subjectText(memory.subjectKey) ||
    stored.externalKey !== memory.externalKey ||
    stored.source !== memory.scope.source ||
    stored.project !== memory.scope.project ||
    stored.live !== (memory.deletedAt === undefined)
  );
}
