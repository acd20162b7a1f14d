import { type AnyBulkWriteOperation, Binary, type Filter, type Sort } from 'mongodb';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import { type Place, placeOf } from '../../../domain/documents/chunk.js';
import type { Memory, Scope } from '../../../domain/memory/memory.js';
import { bytesOfTexts } from '../../../domain/memory/stored-bytes.js';
import type { MemoryVersion } from '../../../domain/memory/version.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import type { EmbeddedBy, Expected, Indexed } from '../../../ports/unit-of-work.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import {
  changedHashes,
  contentFields,
  documentIdsOf,
  idOf,
  STORED_FIELDS,
  type StoredFields,
  termFields,
  toDocument,
  toUpdate,
  updatedFields,
} from '../engine/memory-documents.js';
import type { OrganizationHold } from '../engine/organization-hold.js';
import { limitedTo } from '../engine/paging.js';
import { WRITE_TIMEOUT_MS } from '../engine/read-options.js';
import { type PlannedWrites, planned } from '../engine/unit-writer.js';
import { fieldOf, similarityTo } from '../engine/vectors.js';
import { deleteVectors } from './delete-vectors.js';
import { ACTIVE_BY_WORDS, expectedKeys, importedIds } from './expected-memories.js';
import {
  contentKey,
  createdKey,
  idKey,
  KnownMemories,
  placeFields,
  scopedKey,
  uniqueKeysOf,
  wordsKey,
} from './known-memories.js';
import { tombstoneId } from './tombstones.js';
import { UnitFacetCounts } from './unit-facet-counts.js';
import { UnitVersions } from './unit-versions.js';

type MemoryCollections = Pick<Collections, 'memories' | 'facetCounts' | 'memoryVersions' | 'tombstones'>;

/** Time window of one lookup of creation times. A full window of adjacent times takes another lookup. */
const WINDOW_US = 1_000_000;

/**
 * The memories of a unit's organization. Declared memories are read before. Writes are kept until the end, or until a
 * read might depend on them, so a batch takes few commands.
 */
export class UnitMemories {
  readonly #collections: MemoryCollections;
  readonly #memories: MemoryCollections['memories'];
  readonly #hold: OrganizationHold;
  readonly #known = new KnownMemories();
  readonly #versions: UnitVersions;
  readonly #facetCounts: UnitFacetCounts;
  /** True for an id that a memory of another organization has. Ids without an entry were not looked up. */
  readonly #isForeign = new Map<string, boolean>();
  #unwritten: AnyBulkWriteOperation<MemoryDocument>[] = [];

  constructor(collections: MemoryCollections, hold: OrganizationHold) {
    this.#collections = collections;
    this.#memories = collections.memories;
    this.#hold = hold;
    this.#versions = new UnitVersions(collections.memoryVersions, hold);
    this.#facetCounts = new UnitFacetCounts(collections.facetCounts, hold.id);
  }

  /** True if some writes are not in the database yet. */
  get isPending(): boolean {
    return this.#isUnwritten || this.#facetCounts.isPending;
  }

  /** Records which of the declared ids a memory of another organization has. */
  learnForeign(expected: Expected, foreignIds: readonly string[]): void {
    for (const id of importedIds(expected)) this.#isForeign.set(id, foreignIds.includes(id));
  }

  /** Records all memories that match the declared keys. */
  learn(expected: Expected, found: readonly StoredFields[]): void {
    this.#known.learn(expectedKeys(expected), found);
  }

  async byId(id: string): Promise<StoredFields | undefined> {
    const isExpected = this.#known.byKey(idKey(id)) !== undefined;
    return this.#known.byId(id) ?? (isExpected ? undefined : this.first({ _id: this.#named(id) }));
  }

  /** Returns `from` if no memory of the organization was created then, else a free time soon after it. */
  async freeTime(from: Microseconds): Promise<Microseconds> {
    const { newest } = await this.#hold.state();
    let time = from;
    while (time <= newest && (await this.#isTaken(time))) {
      time = ((await this.#lastCreated(time, time + WINDOW_US)) ?? time) + 1;
    }
    return time;
  }

  #named(id: string): { $in: string[] } {
    return { $in: documentIdsOf(this.#hold.id, id) };
  }

  /** Returns an unused document id. Document ids are unique in the collection, memory ids only in an organization. */
  async #documentId(id: string, isForeign: boolean): Promise<string> {
    if (!isForeign) return id;
    const isTaken = this.#isForeign.get(id) ?? (await this.#isDocument(id));
    return (isTaken && documentIdsOf(this.#hold.id, id)[1]) || id;
  }

  async #isDocument(id: string): Promise<boolean> {
    const options = { session: await this.#hold.session(), projection: { _id: 1 } } as const;
    return (await this.#memories.findOne({ _id: id }, options)) !== null;
  }

  async #isTaken(time: Microseconds): Promise<boolean> {
    const known = this.#known.byKey(createdKey(time));
    return known ? known.length > 0 : (await this.#lastCreated(time, time + 1)) !== undefined;
  }

  async #lastCreated(from: Microseconds, before: Microseconds): Promise<Microseconds | undefined> {
    const filter = { live: { $in: [true, false] }, createdAt: { $gte: from, $lt: before } };
    return (await this.first(filter, { createdAt: -1 }))?.createdAt;
  }

  async activeByContent(place: Place, contentHash: string): Promise<StoredFields | undefined> {
    const fields = placeFields(place);
    const known = this.#known.byKey(contentKey(fields, contentHash));
    return known ? known.find(({ live }) => live) : this.first({ ...fields, contentHash, live: true });
  }

  /** Returns active memories with these words, oldest first. */
  async activeByWords(place: Place, wordsHash: string, limit: number): Promise<StoredFields[]> {
    const fields = placeFields(place);
    const known = this.#known.byKey(wordsKey(fields, wordsHash));
    if (!known) return this.#find({ ...ACTIVE_BY_WORDS, ...fields, wordsHash }, { sort: { createdAt: 1 }, limit });
    const active = known.filter(({ live }) => live).sort((a, b) => a.createdAt - b.createdAt);
    return active.slice(0, limit);
  }

  /** Returns the oldest memory with the same fold. Contents with the same fold have the same words. */
  async activeByFold(
    place: Place,
    { wordsHash, foldHash }: Pick<Indexed, 'wordsHash' | 'foldHash'>,
  ): Promise<StoredFields | undefined> {
    const fields = placeFields(place);
    const known = this.#known.byKey(wordsKey(fields, wordsHash));
    if (!known) return this.first({ ...ACTIVE_BY_WORDS, ...fields, wordsHash, foldHash }, { createdAt: 1 });
    const folded = known.filter((memory) => memory.live && memory.foldHash === foldHash);
    return folded.sort((a, b) => a.createdAt - b.createdAt)[0];
  }

  /** Returns the active memory, else the one deleted last. */
  async byExternalKey(externalKey: string, scope: Scope): Promise<StoredFields | undefined> {
    const known = this.#known.byKey(scopedKey(externalKey, scope));
    if (known) return known.find(({ live }) => live) ?? known.sort(lastDeletedFirst)[0];
    const keyed = { externalKey, source: scope.source, project: scope.project };
    const active = await this.first({ ...keyed, live: true });
    return active ?? this.first({ ...keyed, live: false }, { deletedAt: -1, createdAt: -1 });
  }

  async expiring(limit: number): Promise<StoredFields[]> {
    return this.#find({ live: true, expiresAt: { $exists: true } }, { sort: { expiresAt: 1, createdAt: 1 }, limit });
  }

  async first(filter: Filter<MemoryDocument>, sort: Sort = {}): Promise<StoredFields | undefined> {
    return (await this.#find(filter, { sort, limit: 1 }))[0];
  }

  /** Returns the cosine to a stored vector, clipped to [0, 1]. */
  async similarityOf(id: string, embedding: Float32Array, fingerprint: string): Promise<number | undefined> {
    await this.flush();
    const { searchedSlot } = await this.#hold.state();
    const projection = { [`embedding.${fieldOf(embedding.length, searchedSlot)}`]: 1 };
    const filter = { _id: this.#named(id), org: this.#hold.id, [searchedSlot.fingerprint]: fingerprint };
    const document = await this.#memories.findOne(filter, { session: await this.#hold.session(), projection });
    return document ? similarityTo(embedding, document, searchedSlot) : undefined;
  }

  /** @throws {DuplicateMemoryError} here or from `flush` */
  async insert(memory: Memory, indexed: Indexed, isForeign: boolean): Promise<void> {
    const organization = await this.#hold.state();
    if (memory.createdAt === organization.newest && (await this.#isTaken(memory.createdAt))) {
      throw new Error('No two memories are created at the same time: take createdAt from tick() or freeTime()');
    }
    await this.#assertUnique(memory, indexed.contentHash, [{ _id: this.#named(memory.id) }]);
    assertPending(indexed.pending, organization.settings);
    const id = await this.#documentId(memory.id, isForeign);
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
    if (isIdentityChanged(stored, after)) await this.#assertUnique(memory, after.contentHash);
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
    const stored = await this.byId(id);
    if (!stored) throw new Error(`There is no memory ${id}`);
    return stored;
  }

  async purge(id: string, at: Microseconds): Promise<void> {
    const stored = await this.byId(id);
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
    return (await this.first({ [otherSlot.fingerprint]: { $ne: pendingFingerprint } })) === undefined;
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
    const stored = await this.byId(id);
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

  async #find(filter: Filter<MemoryDocument>, options: { sort?: Sort; limit: number }): Promise<StoredFields[]> {
    await this.flush();
    const scoped = { org: this.#hold.id, ...filter };
    const session = await this.#hold.session();
    const limited = { ...limitedTo(options.limit), maxTimeMS: WRITE_TIMEOUT_MS };
    const whole = { ...options, ...limited, session, projection: STORED_FIELDS };
    return this.#memories.find<StoredFields>(scoped, whole).toArray();
  }

  /**
   * Throws if a unique key is taken. A violated unique index aborts the transaction, so a unit that may continue checks
   * first. It holds the organization, so the result stays valid.
   */
  async #assertUnique(memory: Memory, contentHash: string, taken: Filter<MemoryDocument>[] = []): Promise<void> {
    const known = uniqueKeysOf(memory, contentHash).map((key) => this.#known.byKey(key));
    const isClash = known.every((holders) => holders !== undefined)
      ? known.flat().some((holder) => holder?.live && idOf(holder._id) !== memory.id)
      : await this.#isStored(memory, contentHash, taken);
    if (isClash) throw new DuplicateMemoryError('another memory has this id, content or key');
  }

  async #isStored(memory: Memory, contentHash: string, taken: Filter<MemoryDocument>[]): Promise<boolean> {
    const { externalKey, scope } = memory;
    const clashes: Filter<MemoryDocument>[] = [
      ...taken,
      ...(memory.distinct ? [] : [{ live: true, ...placeFields(placeOf(memory)), contentHash }]),
      ...(externalKey === undefined ? [] : [{ live: true, externalKey, ...scope }]),
    ];
    const others = taken.length > 0 ? {} : { _id: { $nin: this.#named(memory.id).$in } };
    return (await this.first({ $and: [others, { $or: clashes }] })) !== undefined;
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

function lastDeletedFirst(one: StoredFields, other: StoredFields): number {
  return (other.deletedAt ?? 0) - (one.deletedAt ?? 0) || other.createdAt - one.createdAt;
}

function isIdentityChanged(stored: StoredFields, after: StoredFields): boolean {
  const parts = ['contentHash', 'subject', 'chunk', 'externalKey', 'source', 'project', 'live'] as const;
  return parts.some((part) => stored[part] !== after[part]);
}
