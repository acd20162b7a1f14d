import type { Memory, Scope } from '../../../domain/memory/memory.js';
import { subjectText } from '../../../domain/memory/memory-facets.js';
import type { StoredFields } from '../engine/memory-documents.js';

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
    const before = this.#byId.get(memory._id);
    if (before) for (const key of keysOf(before)) this.#ids.get(key)?.delete(memory._id);
    for (const key of keysOf(memory)) this.#ids.get(key)?.add(memory._id);
    this.#byId.set(memory._id, memory);
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

export function contentKey(subject: string, contentHash: string): string {
  return JSON.stringify(['content', subject, contentHash]);
}

export function wordsKey(subject: string, wordsHash: string): string {
  return JSON.stringify(['words', subject, wordsHash]);
}

export function scopedKey(externalKey: string, { source, project }: Scope): string {
  return JSON.stringify(['key', externalKey, source, project]);
}

/** The keys that only one active memory may have. */
export function uniqueKeysOf(memory: Memory, contentHash: string): string[] {
  if (memory.deletedAt !== undefined) return [];
  const { externalKey, scope } = memory;
  const content = contentKey(subjectText(memory.subjectKey), contentHash);
  return externalKey === undefined ? [content] : [content, scopedKey(externalKey, scope)];
}

function keysOf({ _id, subject, contentHash, wordsHash, externalKey, source, project }: StoredFields): string[] {
  return [
    idKey(_id),
    contentKey(subject, contentHash),
    wordsKey(subject, wordsHash),
    ...(externalKey === undefined ? [] : [scopedKey(externalKey, { source, project })]),
  ];
}
