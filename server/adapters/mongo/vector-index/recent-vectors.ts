import type { MemoryDocument } from '../engine/collections.js';
import type { VectorSlot } from '../engine/vectors.js';

/** Size limit: about 15,000 vectors of 1,024 dimensions. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Overhead of an entry beside the numbers of its vector. */
const ENTRY_BYTES = 300;

/** Identifies a version of a memory in a slot. Every change moves one of the two times. */
export type Version = Pick<MemoryDocument, '_id' | 'updatedAt' | 'indexedAt'>;

interface Entry {
  version: Version;
  vector: Float32Array;
}

/**
 * A cache of vectors that the search index may not include yet, so that not every search reads them. It keeps the ones
 * used last. Each vector belongs to one version of its memory and is never used for another.
 */
export class RecentVectors {
  /** Entries in the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** Returns undefined if there is no vector of this version and size. */
  get(version: Version, slot: VectorSlot, dimensions: number): Float32Array | undefined {
    const key = keyOf(version, slot);
    const entry = this.#entries.get(key);
    if (!entry || !isSameVersion(entry.version, version) || entry.vector.length !== dimensions) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.vector;
  }

  put({ _id, updatedAt, indexedAt }: Version, slot: VectorSlot, vector: Float32Array): void {
    const key = keyOf({ _id }, slot);
    this.#remove(key);
    this.#entries.set(key, { version: { _id, updatedAt, indexedAt }, vector });
    this.#bytes += bytesOf(vector);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= bytesOf(entry.vector);
  }
}

function keyOf({ _id }: Pick<Version, '_id'>, { name }: VectorSlot): string {
  return `${name} ${_id}`;
}

export function isSameVersion(one: Version, other: Version): boolean {
  return one.updatedAt === other.updatedAt && one.indexedAt.getTime() === other.indexedAt.getTime();
}

function bytesOf({ byteLength }: Float32Array): number {
  return ENTRY_BYTES + byteLength;
}
