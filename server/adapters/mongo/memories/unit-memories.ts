import { type AnyBulkWriteOperation, Binary } from 'mongodb';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import type { Memory } from '../../../domain/memory/memory.js';
import { bytesOfTexts } from '../../../domain/memory/stored-bytes.js';
import type { MemoryVersion } from '../../../domain/memory/version.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import type { EmbeddedBy, Indexed } from '../../../ports/unit-of-work.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import {
  changedHashes,
  contentFields,
  type StoredFields,
  termFields,
  toDocument,
  toUpdate,
  updatedFields,
} from '../engine/memory-documents.js';
import type { OrganizationHold } from '../engine/organization-hold.js';
import { type PlannedWrites, planned } from '../engine/unit-writer.js';
import { fieldOf, similarityTo } from '../engine/vectors.js';
import { deleteVectors } from './delete-vectors.js';
import { KnownMemories } from './known-memories.js';
import { tombstoneId } from './tombstones.js';
import { UnitFacetCounts } from './unit-facet-counts.js';
import { UnitLookups } from './unit-lookups.js';
import { UnitVersions } from './unit-versions.js';

type MemoryCollections = Pick<Collections, 'memories' | 'facetCounts' | 'memoryVersions' | 'tombstones'>;

/**
 * The memories of a unit's organization. Declared memories are read before. Writes are kept until the end, or until a
 * read might depend on them, so a batch takes few commands.
 */
export class UnitMemories {
  readonly #collections: MemoryCollections;
  readonly #memories: MemoryCollections['memories'];
  readonly #hold: OrganizationHold;
  readonly lookups: UnitLookups;
  readonly #known = new KnownMemories();
  readonly #versions: UnitVersions;
  readonly #facetCounts: UnitFacetCounts;
  #unwritten: AnyBulkWriteOperation<MemoryDocument>[] = [];

  constructor(collections: MemoryCollections, hold: OrganizationHold) {
    this.#collections = collections;
    this.#memories = collections.memories;
    this.#hold = hold;
    this.lookups = new UnitLookups(collections, hold, this.#known, () => this.flush());
    this.#versions = new UnitVersions(collections.memoryVersions, hold);
    this.#facetCounts = new UnitFacetCounts(collections.facetCounts, hold.id);
  }

  /** True if some writes are not in the database yet. */
  get isPending(): boolean {
    return this.#isUnwritten || this.#facetCounts.isPending;
  }

  /** Returns the cosine to a stored vector, clipped to [0, 1]. */
  async similarityOf(id: string, embedding: Float32Array, fingerprint: string): Promise<number | undefined> {
    await this.flush();
    const { searchedSlot } = await this.#hold.state();
    const projection = { [`embedding.${fieldOf(embedding.length, searchedSlot)}`]: 1 };
    const filter = { _id: this.lookups.named(id), org: this.#hold.id, [searchedSlot.fingerprint]: fingerprint };
    const document = await this.#memories.findOne(filter, { session: await this.#hold.session(), projection });
    return document ? similarityTo(embedding, document, searchedSlot) : undefined;
  }

  /** @throws {DuplicateMemoryError} here or from `flush` */
  async insert(memory: Memory, indexed: Indexed, isForeign: boolean): Promise<void> {
    const organization = await this.#hold.state();
    if (memory.createdAt === organization.newest && (await this.lookups.isTaken(memory.createdAt))) {
      throw new Error('No two memories are created at the same time: take createdAt from tick() or freeTime()');
    }
    await this.lookups.assertUnique(memory, indexed.contentHash, [{ _id: this.lookups.named(memory.id) }]);
    assertPending(indexed.pending, organization.settings);
    const id = await this.lookups.documentId(memory.id, isForeign);
    const document = { ...toDocument(memory, indexed, new Date(), organization), _id: id };
    this.#unwritten.push({ insertOne: { document } });
    this.#known.put(document);
    organization.newest = Math.max(organization.newest, memory.createdAt);
    organization.expect(memory);
    this.#facetCounts.change(undefined, document, organization);
    organization.count({
      [document.live ? 'active' : 'deleted']: 1,
      words: document.words,
      bytes: activeBytes(document),
    });
  }

  /** @throws {DuplicateMemoryError} here or from `flush` */
  async update(memory: Memory, indexed?: Indexed): Promise<void> {
    const stored = await this.#stored(memory.id);
    if (!indexed && stored.content !== memory.content) throw new Error('New content needs its indexed fields');
    const organization = await this.#hold.state();
    assertPending(indexed?.pending, organization.settings);
    const content = indexed && contentFields(memory, indexed, organization);
    const after = updatedFields(stored, memory, content);
    if (isIdentityChanged(stored, after)) await this.lookups.assertUnique(memory, after.contentHash);
    const versions = this.#versions.keep(stored, memory, organization.settings);
    const filter = { _id: stored._id, org: this.#hold.id };
    const update = toUpdate(memory, content, new Date());
    const hashes = content ? {} : changedHashes(stored, memory);
    this.#unwritten.push({
      updateOne: { filter, update: { ...update, $set: { ...update.$set, ...hashes, ...versions } } },
    });
    this.#known.put({ ...after, ...versions });
    const moved = Number(after.live) - Number(stored.live);
    const bytes = activeBytes(after) - activeBytes(stored);
    organization.expect(memory);
    this.#facetCounts.change(stored, after, organization);
    organization.count({ active: moved, deleted: -moved, words: after.words - stored.words, bytes });
  }

  async findVersion(memoryId: string, number: number): Promise<MemoryVersion | undefined> {
    await this.flush();
    return this.#versions.find(memoryId, number);
  }

  async findLastVersion(memoryId: string): Promise<MemoryVersion | undefined> {
    await this.flush();
    return this.#versions.findLast(memoryId);
  }

  async countVersions(memoryId: string): Promise<number> {
    return (await this.#stored(memoryId)).versions ?? 0;
  }

  async insertVersion(version: MemoryVersion): Promise<void> {
    const stored = await this.#stored(version.memoryId);
    const { number: versions } = version;
    this.#versions.insert(stored, version, (await this.#hold.state()).settings);
    const filter = { _id: stored._id, org: this.#hold.id };
    this.#unwritten.push({ updateOne: { filter, update: { $set: { versions } } } });
    this.#known.put({ ...stored, versions });
  }

  async #stored(id: string): Promise<StoredFields> {
    const stored = await this.lookups.byId(id);
    if (!stored) throw new Error(`There is no memory ${id}`);
    return stored;
  }

  async purge(id: string, at: Microseconds): Promise<void> {
    const stored = await this.lookups.byId(id);
    if (stored?.deletedAt === undefined) throw new Error(`There is no deleted memory ${id}`);
    await this.flush();
    const session = await this.#hold.session();
    const { createdAt, deletedAt, words } = stored;
    await this.#collections.memories.deleteOne({ _id: stored._id, org: this.#hold.id }, { session });
    await this.#collections.memoryVersions.deleteMany({ org: this.#hold.id, memoryId: id }, { session });
    const tombstone = {
      _id: tombstoneId(this.#hold.id, id, at),
      org: this.#hold.id,
      createdAt,
      deletedAt,
      purgedAt: at,
    };
    await this.#collections.tombstones.insertOne(tombstone, { session });
    this.#known.remove(id);
    const organization = await this.#hold.state();
    this.#facetCounts.change(stored, undefined, organization);
    organization.count({ deleted: -1, words: -words });
  }

  async storePending(id: string, pending: EmbeddedBy): Promise<void> {
    const { settings, otherSlot } = await this.#hold.state();
    assertPending(pending, settings);
    const { _id } = await this.#stored(id);
    const set = {
      [`embedding.${fieldOf(pending.embedding.length, otherSlot)}`]: Binary.fromFloat32Array(pending.embedding),
      [otherSlot.fingerprint]: pending.fingerprint,
      [otherSlot.indexedAt]: new Date(),
    };
    this.#unwritten.push({ updateOne: { filter: { _id, org: this.#hold.id }, update: { $set: set } } });
  }

  async isPendingComplete(): Promise<boolean> {
    const { settings, otherSlot } = await this.#hold.state();
    const { pendingFingerprint } = settings;
    if (pendingFingerprint === undefined) return true;
    return (await this.lookups.first({ [otherSlot.fingerprint]: { $ne: pendingFingerprint } })) === undefined;
  }

  /** Returns how many vectors it deleted. */
  async deleteFormerVectors(limit: number): Promise<number> {
    const { settings, otherSlot } = await this.#hold.state();
    const { formerFingerprint } = settings;
    if (formerFingerprint === undefined) return 0;
    await this.flush();
    return deleteVectors(this.#memories, this.#hold, { slot: otherSlot, fingerprint: formerFingerprint, limit });
  }

  async replaceTerms(id: string, terms: readonly string[]): Promise<void> {
    const stored = await this.lookups.byId(id);
    if (!stored) throw new Error(`There is no memory ${id}`);
    const fields = { ...termFields(terms), indexedAt: new Date() };
    this.#unwritten.push({ updateOne: { filter: { _id: stored._id, org: this.#hold.id }, update: { $set: fields } } });
    this.#known.put({ ...stored, words: fields.words });
    const organization = await this.#hold.state();
    organization.count({ words: fields.words - stored.words });
  }

  /** Returns the pending writes, in their order, which the caller must write. */
  takePlanned(): PlannedWrites[] {
    const writes = this.#unwritten;
    this.#unwritten = [];
    return [planned(this.#memories, writes), this.#versions.takePlanned()];
  }

  /** Returns the writes of the counts of facets, which the caller must write. No read of a unit depends on them. */
  takeCounts(): PlannedWrites {
    return this.#facetCounts.takePlanned();
  }

  get #isUnwritten(): boolean {
    return this.#unwritten.length > 0;
  }

  /** Writes the pending writes, before a read that might depend on them. */
  async flush(): Promise<void> {
    if (this.#isUnwritten) await this.#hold.write(...this.takePlanned());
  }
}

/** @throws {Error} if the vector is not of the pending embedder */
function assertPending(pending: EmbeddedBy | undefined, { pendingFingerprint }: OrganizationSettings): void {
  if (pending && pending.fingerprint !== pendingFingerprint) {
    throw new Error(`${pending.fingerprint} is not the pending embedder`);
  }
}

function activeBytes({ live, content, metadata }: Pick<StoredFields, 'live' | 'content' | 'metadata'>): number {
  return live ? bytesOfTexts(content, metadata) : 0;
}

function isIdentityChanged(stored: StoredFields, after: StoredFields): boolean {
  const parts = ['contentHash', 'subject', 'chunk', 'externalKey', 'source', 'project', 'live'] as const;
  return parts.some((part) => stored[part] !== after[part]);
}
