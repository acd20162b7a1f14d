import type { MemoryDocument } from '../engine/collections.js';

/** Most of what they may take: some 15,000 vectors of 1,024 dimensions. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What an entry takes beside the numbers of its vector. */
const ENTRY_BYTES = 300;

/** Which version of a memory: every change moves one of the two. */
export type Version = Pick<MemoryDocument, '_id' | 'updatedAt' | 'indexedAt'>;

interface Entry {
  version: Version;
  vector: Float32Array;
}

/**
 * Vectors of memories that the search index may not know yet, so that not
 * every search reads them again: those used last. Each is of one version of
 * its memory, and no other version is ever compared by it.
 */
export class RecentVectors {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** Undefined where there is none of this version and size. */
  get(version: Version, dimensions: number): Float32Array | undefined {
    const entry = this.#entries.get(version._id);
    if (!entry || !isSameVersion(entry.version, version) || entry.vector.length !== dimensions) return undefined;
    this.#entries.delete(version._id);
    this.#entries.set(version._id, entry);
    return entry.vector;
  }

  put({ _id, updatedAt, indexedAt }: Version, vector: Float32Array): void {
    this.#remove(_id);
    this.#entries.set(_id, { version: { _id, updatedAt, indexedAt }, vector });
    this.#bytes += bytesOf(vector);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#remove(oldest);
    }
  }

  #remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.#bytes -= bytesOf(entry.vector);
  }
}

export function isSameVersion(one: Version, other: Version): boolean {
  return one.updatedAt === other.updatedAt && one.indexedAt.getTime() === other.indexedAt.getTime();
}

function bytesOf({ byteLength }: Float32Array): number {
  return ENTRY_BYTES + byteLength;
}
