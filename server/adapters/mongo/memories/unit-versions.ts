import type { AnyBulkWriteOperation } from 'mongodb';
import type { OrganizationSettings } from '../../../domain/account/organization.js';
import type { Memory } from '../../../domain/memory/memory.js';
import { KEPT_VERSIONS, type MemoryVersion, replacesState } from '../../../domain/memory/version.js';
import type { Collections, MemoryDocument, MemoryVersionDocument } from '../engine/collections.js';
import { type StoredFields, toMemory } from '../engine/memory-documents.js';
import type { OrganizationHold } from '../engine/organization-hold.js';
import { type PlannedWrites, planned } from '../engine/unit-writer.js';
import { toVersion, toVersionFields, versionOf, versionWrites } from './memory-versions.js';

type Versions = Collections['memoryVersions'];

/** The versions of a unit's memories. Writes are kept until the unit writes; reads see only what is written. */
export class UnitVersions {
  readonly #versions: Versions;
  readonly #hold: OrganizationHold;
  #unwritten: AnyBulkWriteOperation<MemoryVersionDocument>[] = [];

  constructor(versions: Versions, hold: OrganizationHold) {
    this.#versions = versions;
    this.#hold = hold;
  }

  /**
   * Keeps the stored state of a memory if the given one replaces it.
   *
   * @returns the fields that the memory stores about its versions
   */
  keep(
    stored: StoredFields,
    memory: Memory,
    { keptVersions: kept = KEPT_VERSIONS }: OrganizationSettings,
  ): Pick<MemoryDocument, 'versions'> {
    if (!replacesState(toMemory(this.#hold.id, stored), memory)) return {};
    const number = (stored.versions ?? 0) + 1;
    this.#unwritten.push(...versionWrites(this.#hold.id, stored, versionOf(stored, memory, number), kept));
    return kept === 0 ? {} : { versions: number };
  }

  insert(
    stored: StoredFields,
    version: MemoryVersion,
    { keptVersions: kept = KEPT_VERSIONS }: OrganizationSettings,
  ): void {
    this.#unwritten.push(...versionWrites(this.#hold.id, stored, toVersionFields(version), kept));
  }

  async find(memoryId: string, number: number): Promise<MemoryVersion | undefined> {
    const filter = { org: this.#hold.id, memoryId, number };
    const found = await this.#versions.findOne(filter, { session: await this.#hold.session() });
    return found ? toVersion(found) : undefined;
  }

  async findLast(memoryId: string): Promise<MemoryVersion | undefined> {
    const options = { session: await this.#hold.session(), sort: { replacedAt: -1 } } as const;
    const found = await this.#versions.findOne({ org: this.#hold.id, memoryId }, options);
    return found ? toVersion(found) : undefined;
  }

  /** Returns the pending writes, in their order, which the caller must write. */
  takePlanned(): PlannedWrites {
    const writes = this.#unwritten;
    this.#unwritten = [];
    return planned(this.#versions, writes);
  }
}
