import { type Place, placeOf } from '../../../domain/memory/chunk.js';
import type { Memory, Scope } from '../../../domain/memory/memory.js';
import { subjectText } from '../../../domain/memory/memory-facets.js';
import { idOf, type StoredFields } from '../engine/memory-documents.js';

/**
 * What a unit of work said that it will look for, and the memories that there
 * are for it, kept up with what the unit writes. Nobody else writes while it
 * holds its organization.
 */
export class KnownMemories {
  readonly #byId = new Map<string, StoredFields>();
  /** Ids by key. What has no entry was not looked for; what has an empty one is not there. */
  readonly #ids = new Map<string, Set<string>>();

  /** Notes what was looked for, and all that was found. */
  learn(keys: Iterable<string>, found: Iterable<StoredFields>): void {
    for (const key of keys) if (!this.#ids.has(key)) this.#ids.set(key, new Set());
    for (const memory of found) this.put(memory);
  }

  /** Notes a memory as it is now. */
  put(memory: StoredFields): void {
    const id = idOf(memory._id);
    const before = this.#byId.get(id);
    if (before) for (const key of keysOf(before)) this.#ids.get(key)?.delete(id);
    for (const key of keysOf(memory)) this.#ids.get(key)?.add(id);
    this.#byId.set(id, memory);
  }

  /** Notes that a memory is gone. */
  remove(id: string): void {
    const before = this.#byId.get(id);
    if (!before) return;
    for (const key of keysOf(before)) this.#ids.get(key)?.delete(id);
    this.#byId.delete(id);
    // Known to be absent from now on.
    this.#ids.set(idKey(id), new Set());
  }

  byId(id: string): StoredFields | undefined {
    return this.#byId.get(id);
  }

  /** Deleted memories may be among them, or not. Undefined where it was not looked for. */
  byKey(key: string): StoredFields[] | undefined {
    const ids = this.#ids.get(key);
    return ids && [...ids].flatMap((id) => this.#byId.get(id) ?? []);
  }
}

export function idKey(id: string): string {
  return JSON.stringify(['id', id]);
}

/** A place as filters name it. */
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

/** The keys that only one active memory may have. */
export function uniqueKeysOf(memory: Memory, contentHash: string): string[] {
  if (memory.deletedAt !== undefined) return [];
  const { externalKey, scope } = memory;
  const content = contentKey(placeFields(placeOf(memory)), contentHash);
  return externalKey === undefined ? [content] : [content, scopedKey(externalKey, scope)];
}

function keysOf(memory: StoredFields): string[] {
  const { _id, subject, chunk = null, contentHash, wordsHash, externalKey, source, project } = memory;
  return [
    idKey(idOf(_id)),
    contentKey({ subject, chunk }, contentHash),
    wordsKey({ subject, chunk }, wordsHash),
    ...(externalKey === undefined ? [] : [scopedKey(externalKey, { source, project })]),
  ];
}
