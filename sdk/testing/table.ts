import type { BatchItem, Dedupe, Outcome, SubjectKey, UpdateRequest } from '../generated/types.gen.js';
import {
  contentConflict,
  distinctOf,
  type Identity,
  identityOf,
  isSame,
  isSamePlace,
  keyToSet,
  type Placed,
} from './identity.js';
import type { Arrival } from './imports.js';
import { fold, type MemoryRecord } from './record.js';
import { invalid, notFound, refused } from './refusal.js';
import { type VersionRecord, VersionTable } from './versions.js';
import { assertWithin, isWithin, type Within } from './within.js';

/** The outcome of a write. */
export interface Written {
  record: MemoryRecord;
  outcome: Outcome;
  dedupe?: Dedupe;
}

/** Stores the memories of one organization, with the rules of the service. */
export class MemoryTable {
  readonly versions: VersionTable;
  #records: MemoryRecord[] = [];
  #tombstones: MemoryRecord[] = [];
  #clock = 0;

  /** @param keptVersions returns how many versions of each memory to keep */
  constructor(keptVersions: () => number) {
    this.versions = new VersionTable(keptVersions);
  }

  /** Returns the memories in the order of creation. */
  get records(): readonly MemoryRecord[] {
    this.#expire();
    return this.#records;
  }

  /** Returns the tombstones of purged memories. */
  get tombstones(): readonly MemoryRecord[] {
    return this.#tombstones;
  }

  /** @throws {Refusal} 409 */
  ingest(item: BatchItem, within: Within): Written {
    this.#expire();
    const identity = identityOf(item);
    const keyed = item.externalKey === undefined ? undefined : this.#active((record) => isSame(record, identity));
    if (keyed && keyed.content !== item.content) {
      throw refused(409, 'external_key_conflict', 'the key belongs to another content', { id: keyed.id });
    }
    if (keyed) assertWithin(keyed, within);
    if (keyed) return this.#merge(keyed, item, 'deduplicated', laterOf(keyed, item));
    const distinct = distinctOf(item);
    const equal = this.#withContent({ ...item, distinct });
    if (equal) assertWithin(equal, within);
    if (equal) return this.#merge(equal, item, 'deduplicated', laterOf(equal, item), keyToSet(equal, identity));
    const near = item.externalKey === undefined && !distinct ? this.#foldedLike(item, within) : undefined;
    return near ? this.#merge(near, item, 'merged_metadata', laterOf(near, item)) : this.#create(item);
  }

  /** @throws {Refusal} 404, 409, 422 */
  upsert(item: BatchItem, within: Within): Written {
    if (item.externalKey === undefined) throw invalid('externalKey', 'is required');
    this.#expire();
    const identity = identityOf(item);
    const keyed = this.#active((record) => isSame(record, identity));
    const deleted = keyed ? undefined : this.#records.findLast((record) => isSame(record, identity));
    if (deleted && !item.restoreDeleted) throw notFound(deleted.id);

    const current = keyed ?? deleted;
    if (current) assertWithin(current, within);
    const subjectKey = item.subjectKey ?? current?.subjectKey;
    const metadata = { ...current?.metadata, ...item.metadata };
    const distinct = distinctOf(item, current);
    const sameText = this.#withContent({ content: item.content, subjectKey, metadata, distinct });
    if (sameText && sameText !== keyed) throw contentConflict(sameText);
    if (deleted) return this.#restoreInto(deleted, item, { content: item.content, subjectKey, metadata, distinct });
    if (!keyed) return this.#create(item);
    if (keyed.content === item.content && subjectKey === keyed.subjectKey) {
      return this.#merge(keyed, item, 'deduplicated', expiryOf(item) ?? keyed.expiresAt);
    }
    const expiresAt = expiryOf(item) ?? keyed.expiresAt;
    this.#write(keyed, { content: item.content, subjectKey, metadata, distinct, expiresAt });
    return { record: keyed, outcome: 'updated' };
  }

  /** @throws {Refusal} 404 */
  find(id: string, includeDeleted: boolean): MemoryRecord {
    this.#expire();
    const record = this.#records.find((each) => each.id === id);
    if (!record || (record.deletedAt !== undefined && !includeDeleted)) throw notFound();
    return record;
  }

  /** @throws {Refusal} 404, 409 */
  update(id: string, { content, metadata, metadataReplace, subjectKey, expiresAt }: UpdateRequest): Written {
    const record = this.find(id, false);
    const next = {
      content: content ?? record.content,
      subjectKey: subjectKey ?? record.subjectKey,
      metadata: metadata && metadataReplace === true ? metadata : { ...record.metadata, ...metadata },
      distinct: record.distinct,
    };
    const sameText = this.#withContent(next);
    if (sameText && sameText !== record) throw contentConflict(sameText);
    this.#change(record, {
      ...next,
      ...(expiresAt !== undefined && { expiresAt: expiryOf({ expiresAt }) }),
    });
    return { record, outcome: 'updated' };
  }

  /** @throws {Refusal} 404 */
  delete(id: string): void {
    const record = this.find(id, false);
    record.deletedAt = this.#tick();
    record.updatedAt = record.deletedAt;
  }

  /** @throws {Refusal} 404, 409 */
  restore(id: string): MemoryRecord {
    const record = this.find(id, true);
    if (record.deletedAt === undefined) return record;
    const { externalKey } = record;
    const keyed = externalKey === undefined ? undefined : this.#active((other) => isSame(other, record));
    if (keyed) throw refused(409, 'external_key_conflict', 'another memory has this key', { id: keyed.id });
    const sameText = this.#withContent(record);
    if (sameText) throw contentConflict(sameText);
    record.deletedAt = undefined;
    record.updatedAt = this.#tick();
    if (record.expiresAt !== undefined && record.expiresAt <= record.updatedAt) record.expiresAt = undefined;
    return record;
  }

  /** @throws {Refusal} 404, 409 */
  purge(id: string): void {
    const record = this.find(id, true);
    if (record.deletedAt === undefined) throw refused(409, 'memory_active', 'only a deleted memory can be purged');
    this.#records = this.#records.filter((other) => other !== record);
    this.versions.remove(id);
    this.#bury(record);
  }

  /** Restores a version. @throws {Refusal} 404, 409 */
  restoreVersion(id: string, version: string): Written {
    const record = this.find(id, false);
    const found = this.versions.of(id).find((each) => String(each.version) === version);
    if (!found) throw notFound();
    const next = { content: found.content, metadata: structuredClone(found.metadata), subjectKey: found.subjectKey };
    const { distinct } = record;
    const sameText = this.#withContent({ ...next, distinct });
    if (sameText && sameText !== record) throw contentConflict(sameText);
    this.#change(record, next);
    return { record, outcome: 'updated' };
  }

  /** Removes everything about a subject. Returns the ids of the memories, in the order of creation. */
  erase(subjectKey: SubjectKey): { ids: string[]; versions: number } {
    const erased = this.#records.filter((record) => record.subjectKey === subjectKey);
    const ids = erased.map(({ id }) => id);
    const versions = this.versions.erase(subjectKey, ids);
    this.#records = this.#records.filter((record) => !erased.includes(record));
    for (const record of erased) this.#bury(record);
    return { ids, versions };
  }

  /** @throws {Refusal} 409 */
  import(arrival: Arrival): { id: string; outcome: 'created' | 'present' } {
    this.#expire();
    const present = this.#present(arrival);
    if (present) return { id: present.id, outcome: 'present' };
    const from = arrival.createdAt ?? arrival.deletedAt ?? arrival.updatedAt;
    const createdAt = from === undefined ? undefined : this.#freeTime(from);
    const wanted = Math.max(arrival.updatedAt ?? 0, createdAt ?? 0);
    const isKept = arrival.updatedAt !== undefined && wanted > this.#clock;
    const updatedAt = isKept ? wanted : this.#tick();
    this.#clock = Math.max(this.#clock, updatedAt);
    const record = { id: newId(updatedAt), ...arrival, createdAt: createdAt ?? updatedAt, updatedAt };
    this.#records = [...this.#records, record].sort((one, other) => one.createdAt - other.createdAt);
    return { id: record.id, outcome: 'created' };
  }

  /** @throws {Refusal} 404, 422 */
  importVersion(version: VersionRecord): 'created' | 'present' | 'not_kept' {
    return this.versions.import(version, this.find(version.memoryId, true));
  }

  clear(): void {
    this.versions.clear();
    this.#records = [];
    this.#tombstones = [];
  }

  /** Leaves a tombstone of a removed record. */
  #bury(record: MemoryRecord): void {
    const purgedAt = this.#tick();
    const { deletedAt = purgedAt } = record;
    const { id, scope, createdAt } = record;
    this.#tombstones.push({
      id,
      scope,
      createdAt,
      content: '',
      metadata: {},
      deletedAt,
      updatedAt: purgedAt,
      purgedAt,
    });
  }

  #create(item: BatchItem): Written {
    const createdAt = this.#tick();
    const { content, metadata = {}, externalKey, subjectKey } = item;
    const { scope } = identityOf(item);
    const record = {
      id: newId(createdAt),
      content,
      metadata,
      externalKey,
      scope,
      subjectKey,
      createdAt,
      updatedAt: createdAt,
      expiresAt: expiryOf(item),
      distinct: distinctOf(item),
    };
    this.#records.push(record);
    return { record, outcome: 'created' };
  }

  #restoreInto(record: MemoryRecord, item: BatchItem, change: Partial<MemoryRecord>): Written {
    const isOver = record.expiresAt !== undefined && record.expiresAt <= Date.now() * 1_000;
    const expiresAt = expiryOf(item) ?? (isOver ? undefined : record.expiresAt);
    this.#write(record, { ...change, expiresAt, deletedAt: undefined });
    return { record, outcome: 'updated' };
  }

  #merge(
    record: MemoryRecord,
    { metadata = {}, dedupe }: BatchItem,
    outcome: 'deduplicated' | 'merged_metadata',
    expiresAt: number | undefined,
    key: Partial<Identity> = {},
  ): Written {
    const merged = { ...record.metadata, ...metadata };
    const { content, subjectKey } = record;
    const distinct = distinctOf({ dedupe }, record);
    const sameText = this.#withContent({ content, subjectKey, metadata: merged, distinct });
    if (sameText && sameText !== record) throw contentConflict(sameText);
    this.#change(record, { ...key, metadata: merged, distinct, expiresAt });
    return { record, outcome, dedupe: 'exact' };
  }

  /** Changes a record, unless the change has no effect. */
  #change(record: MemoryRecord, change: Partial<MemoryRecord>): void {
    const isSame = JSON.stringify({ ...record, ...change }) === JSON.stringify(record);
    if (!isSame) this.#write(record, change);
  }

  #write(record: MemoryRecord, change: Partial<MemoryRecord>): void {
    const before = { ...record };
    Object.assign(record, change, { updatedAt: this.#tick() });
    this.versions.keep(before, record);
  }

  /** Returns the memory with the id of an arrival or, without an id, the active one with the same content. */
  #present(arrival: Arrival): MemoryRecord | undefined {
    const { id, content, externalKey, deletedAt } = arrival;
    const named = this.#records.find((record) => record.id === id);
    if (named && named.content !== content) throw contentConflict(named);
    if (named || deletedAt !== undefined) return named;
    const keyed = externalKey === undefined ? undefined : this.#active((record) => isSame(record, arrival));
    const holder = this.#withContent(arrival);
    const same = keyed?.distinct && keyed.content === content ? keyed : holder;
    if (same && id === undefined && (externalKey === undefined || same === keyed)) return same;
    if (holder) throw contentConflict(holder);
    if (keyed) throw refused(409, 'external_key_conflict', 'the key belongs to another content', { id: keyed.id });
    return undefined;
  }

  /** Returns `from`, or the next time at which no memory was created. */
  #freeTime(from: number): number {
    let time = from;
    while (this.#records.some(({ createdAt }) => createdAt === time)) time += 1;
    return time;
  }

  #foldedLike(item: BatchItem, within: Within): MemoryRecord | undefined {
    const folded = fold(item.content);
    return this.#active(
      (record) => isSamePlace(record, item) && isWithin(record, within) && fold(record.content) === folded,
    );
  }

  #withContent(item: Placed & Pick<BatchItem, 'content'>): MemoryRecord | undefined {
    return this.#active((record) => record.content === item.content && isSamePlace(record, item));
  }

  #active(matches: (record: MemoryRecord) => boolean): MemoryRecord | undefined {
    return this.#records.find((record) => record.deletedAt === undefined && matches(record));
  }

  /** Deletes expired memories. */
  #expire(): void {
    const now = Date.now() * 1_000;
    for (const record of this.#records) {
      if (record.deletedAt !== undefined || record.expiresAt === undefined || record.expiresAt > now) continue;
      record.deletedAt = this.#tick();
      record.updatedAt = record.deletedAt;
    }
  }

  /** Returns the current time in microseconds, later than every earlier result. */
  #tick(): number {
    this.#clock = Math.max(Date.now() * 1_000, this.#clock + 1);
    return this.#clock;
  }
}

/** Converts a time of expiry to microseconds. Returns undefined for never. */
function expiryOf({ expiresAt }: Pick<UpdateRequest, 'expiresAt'>): number | undefined {
  return expiresAt === undefined || expiresAt === null ? undefined : Date.parse(expiresAt) * 1_000;
}

/** Returns the later of two expiry times. Undefined is the latest. */
function laterOf(record: MemoryRecord, item: BatchItem): number | undefined {
  const given = expiryOf(item);
  if (given === undefined || record.expiresAt === undefined) return undefined;
  return Math.max(given, record.expiresAt);
}

/** Creates a UUID of version 7. */
function newId(microseconds: number): string {
  const time = Math.floor(microseconds / 1_000)
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
