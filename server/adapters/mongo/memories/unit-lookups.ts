import type { Filter, Sort } from 'mongodb';
import { type Place, placeOf } from '../../../domain/documents/chunk.js';
import type { Memory, Scope } from '../../../domain/memory/memory.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import type { Expected, Indexed } from '../../../ports/unit-of-work.js';
import type { Collections, MemoryDocument } from '../engine/collections.js';
import { documentIdsOf, idOf, STORED_FIELDS, type StoredFields } from '../engine/memory-documents.js';
import type { OrganizationHold } from '../engine/organization-hold.js';
import { limitedTo } from '../engine/paging.js';
import { WRITE_TIMEOUT_MS } from '../engine/read-options.js';
import { ACTIVE_BY_WORDS, expectedKeys, importedIds } from './expected-memories.js';
import {
  contentKey,
  createdKey,
  idKey,
  type KnownMemories,
  placeFields,
  scopedKey,
  uniqueKeysOf,
  wordsKey,
} from './known-memories.js';

/** Time window of one lookup of creation times. A full window of adjacent times takes another lookup. */
const WINDOW_US = 1_000_000;

/** Finds the memories of a unit's organization: among those that were declared, or else in the unit's transaction. */
export class UnitLookups {
  readonly #memories: Collections['memories'];
  readonly #hold: OrganizationHold;
  readonly #known: KnownMemories;
  readonly #flush: () => Promise<void>;
  /** True for an id that a memory of another organization has. Ids without an entry were not looked up. */
  readonly #isForeign = new Map<string, boolean>();

  /** @param flush writes the pending writes, before a read that might depend on them */
  constructor(
    { memories }: Pick<Collections, 'memories'>,
    hold: OrganizationHold,
    known: KnownMemories,
    flush: () => Promise<void>,
  ) {
    this.#memories = memories;
    this.#hold = hold;
    this.#known = known;
    this.#flush = flush;
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
    return this.#known.byId(id) ?? (isExpected ? undefined : this.first({ _id: this.named(id) }));
  }

  /** Returns `from` if no memory of the organization was created then, else a free time soon after it. */
  async freeTime(from: Microseconds): Promise<Microseconds> {
    const { newest } = await this.#hold.state();
    let time = from;
    while (time <= newest && (await this.isTaken(time))) {
      time = ((await this.#lastCreated(time, time + WINDOW_US)) ?? time) + 1;
    }
    return time;
  }

  /** Matches the documents that may have the memory with this id. */
  named(id: string): { $in: string[] } {
    return { $in: documentIdsOf(this.#hold.id, id) };
  }

  /** Returns an unused document id. Document ids are unique in the collection, memory ids only in an organization. */
  async documentId(id: string, isForeign: boolean): Promise<string> {
    if (!isForeign) return id;
    const isTaken = this.#isForeign.get(id) ?? (await this.#isDocument(id));
    return (isTaken && documentIdsOf(this.#hold.id, id)[1]) || id;
  }

  async #isDocument(id: string): Promise<boolean> {
    const options = { session: await this.#hold.session(), projection: { _id: 1 } } as const;
    return (await this.#memories.findOne({ _id: id }, options)) !== null;
  }

  /** Reports if a memory of the organization was created at that time. */
  async isTaken(time: Microseconds): Promise<boolean> {
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

  async #find(filter: Filter<MemoryDocument>, options: { sort?: Sort; limit: number }): Promise<StoredFields[]> {
    await this.#flush();
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
  async assertUnique(memory: Memory, contentHash: string, taken: Filter<MemoryDocument>[] = []): Promise<void> {
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
    const others = taken.length > 0 ? {} : { _id: { $nin: this.named(memory.id).$in } };
    return (await this.first({ $and: [others, { $or: clashes }] })) !== undefined;
  }
}

function lastDeletedFirst(one: StoredFields, other: StoredFields): number {
  return (other.deletedAt ?? 0) - (one.deletedAt ?? 0) || other.createdAt - one.createdAt;
}
