import { setImmediate } from 'node:timers/promises';
import { type IndexedVector, OrganizationIndex, type VectorChange } from './organization-index.js';
import type { Scan } from './scan.js';

/** The committed vectors that indexes are built from. */
export interface VectorSource {
  /** The embedder whose vectors take part in searches; undefined before the first one. */
  fingerprint(org: number): string | undefined;
  /** Some active memories' vectors created after a time, oldest first; none when there are no more. */
  active(org: number, fingerprint: string, createdAfter: number): IndexedVector[];
  deleted(org: number, fingerprint: string): Iterable<IndexedVector>;
}

interface Entry {
  index: OrganizationIndex;
  built: Promise<OrganizationIndex>;
  isBuilt: boolean;
}

/**
 * The resident indexes, each built from the database when it is first asked
 * for and kept in step by `apply`.
 *
 * Committing and applying happen in one turn of the event loop, so no search
 * sees the one without the other.
 */
export class VectorIndexes {
  readonly #source: VectorSource;
  readonly #scan: Scan;
  readonly #entries = new Map<number, Entry>();

  constructor(source: VectorSource, scan: Scan) {
    this.#source = source;
    this.#scan = scan;
  }

  get scan(): Scan {
    return this.#scan;
  }

  /** Undefined while the organization has no vectors. */
  async open(org: number): Promise<OrganizationIndex | undefined> {
    for (;;) {
      const entry = this.#entries.get(org) ?? this.#start(org);
      if (!entry) return undefined;
      const index = entry.isBuilt ? entry.index : await entry.built;
      if (this.#entries.get(org) === entry) return index;
    }
  }

  /** Adds the deleted memories to an index that is open. */
  addDeleted(org: number, index: OrganizationIndex): void {
    if (!index.hasDeleted) index.addDeleted(this.#source.deleted(org, index.fingerprint));
  }

  /** Brings an index up to date with what was just committed. */
  apply(org: number, change: VectorChange): void {
    this.#entries.get(org)?.index.apply(change);
  }

  /** Lets an index go; the next search builds it anew. */
  forget(org: number): void {
    this.#entries.delete(org);
  }

  #start(org: number): Entry | undefined {
    const fingerprint = this.#source.fingerprint(org);
    if (fingerprint === undefined) return undefined;
    const index = new OrganizationIndex(fingerprint, this.#scan);
    const entry: Entry = { index, isBuilt: false, built: Promise.resolve(index) };
    this.#entries.set(org, entry);
    entry.built = this.#build(org, entry);
    return entry;
  }

  async #build(org: number, entry: Entry): Promise<OrganizationIndex> {
    const { index } = entry;
    let createdAfter = Number.MIN_SAFE_INTEGER;
    try {
      for (;;) {
        const vectors = this.#source.active(org, index.fingerprint, createdAfter);
        const last = vectors.at(-1);
        if (!last) break;
        // Changes committed meanwhile were applied already; what the database gives is no newer than they are.
        for (const vector of vectors) index.apply({ ...vector, kind: 'put', active: true });
        createdAfter = last.createdAt;
        await setImmediate();
      }
    } catch (error) {
      if (this.#entries.get(org) === entry) this.forget(org);
      throw error;
    }
    entry.isBuilt = true;
    return index;
  }
}
