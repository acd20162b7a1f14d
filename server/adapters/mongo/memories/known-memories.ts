import { type Place, placeOf } from '../../../domain/documents/chunk.js';
import { subjectText } from '../../../domain/filter/memory-facets.js';
import type { Memory, Scope } from '../../../domain/memory/memory.js';
import type { Microseconds } from '../../../domain/timestamp.js';
import { idOf, type StoredFields } from '../engine/memory-documents.js';

/**
 * The memories that a unit of work declared, kept up to date with its writes. Nobody else writes while the unit holds
 * its organization.
 */
export class KnownMemories {
  readonly #byId = new Map<string, StoredFields>();
  /** Ids by key. A key without an entry was not looked up; an empty entry means that no memory has the key. */
  readonly #ids = new Map<string, Set<string>>();

  /** Records the looked-up keys and all memories found. */
  learn(keys: Iterable<string>, found: Iterable<StoredFields>): void {
    for (const key of keys) if (!this.#ids.has(key)) this.#ids.set(key, new Set());
    for (const memory of found) this.put(memory);
  }

  /** Records the current state of a memory. */
  put(memory: StoredFields): void {
    const id = idOf(memory._id);
    const before = this.#byId.get(id);
    if (before) for (const key of keysOf(before)) this.#ids.get(key)?.delete(id);
    for (const key of keysOf(memory)) this.#ids.get(key)?.add(id);
    this.#byId.set(id, memory);
  }

  /** Records that a memory was removed. */
  remove(id: string): void {
    const before = this.#byId.get(id);
    if (!before) return;
    for (const key of keysOf(before)) this.#ids.get(key)?.delete(id);
    this.#byId.delete(id);
    // The id is now known to be absent.
    this.#ids.set(idKey(id), new Set());
  }

  byId(id: string): StoredFields | undefined {
    return this.#byId.get(id);
  }

  /** Returns the memories of a key, which may include deleted ones. Returns undefined if the key was not looked up. */
  byKey(key: string): StoredFields[] | undefined {
    const ids = this.#ids.get(key);
    return ids && [...ids].flatMap((id) => this.#byId.get(id) ?? []);
  }
}

export function idKey(id: string): string {
  return JSON.stringify(['id', id]);
}

export function createdKey(createdAt: Microseconds): string {
  return JSON.stringify(['created', createdAt]);
}

/** The fields of a place in filters. */
interface PlaceFields {
  subject: string;
  chunk: string | null;
}

export function placeFields(place: Place): PlaceFields {
  return { subject: subjectText(place.subjectKey), chunk: place.chunk ?? null };
}

export function contentKey({ subject, chunk }: PlaceFields, contentHash: string): string {
  return JSON.stringify(['content', subject, chunk, contentHash]);
}

export function wordsKey({ subject, chunk }: PlaceFields, wordsHash: string): string {
  return JSON.stringify(['words', subject, chunk, wordsHash]);
}

export function scopedKey(externalKey: string, { source, project }: Scope): string {
  return JSON.stringify(['key', externalKey, source, project]);
}

/** Returns the keys that only one active memory may have. */
export function uniqueKeysOf(memory: Memory, contentHash: string): string[] {
  if (memory.deletedAt !== undefined) return [];
  const { externalKey, scope } = memory;
  return [
    ...(memory.distinct ? [] : [contentKey(placeFields(placeOf(memory)), contentHash)]),
    ...(externalKey === undefined ? [] : [scopedKey(externalKey, scope)]),
  ];
}

function keysOf(memory: StoredFields): string[] {
  const { _id, createdAt, subject, chunk = null, contentHash, wordsHash, externalKey, source, project } = memory;
  return [
    idKey(idOf(_id)),
    createdKey(createdAt),
    contentKey({ subject, chunk }, contentHash),
    wordsKey({ subject, chunk }, wordsHash),
    ...(externalKey === undefined ? [] : [scopedKey(externalKey, { source, project })]),
  ];
}
