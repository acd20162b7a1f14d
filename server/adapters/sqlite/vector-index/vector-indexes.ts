import { setImmediate } from 'node:timers/promises';
import { type IndexedVector, OrganizationIndex, type VectorChange } from './organization-index.js';
import type { Scan } from './scan.js';

/** The committed vectors that indexes are built from. */
export interface VectorSource {
  /** The embedder whose vectors take part in searches; undefined before the first one. */
  fingerprint(org: number): string | undefined;
  /** Vectors of some active or some deleted memories created after a time, oldest first; none when there are no more. */
  read(org: number, fingerprint: string, active: boolean, createdAfter: number): IndexedVector[];
}

interface Entry {
  index: OrganizationIndex;
  /** Settles when the active memories are in it. */
  built: Promise<void>;
  /** The same of the deleted ones, once a search has asked for them. */
  builtDeleted: Promise<void> | undefined;
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
  async open(org: number, includeDeleted = false): Promise<OrganizationIndex | undefined> {
    for (;;) {
      const entry = this.#entries.get(org) ?? this.#start(org);
      if (!entry) return undefined;
      await entry.built;
      if (includeDeleted) {
        entry.builtDeleted ??= this.#build(org, entry, false);
        await entry.builtDeleted;
      }
      if (this.#entries.get(org) === entry) return entry.index;
    }
  }

  /** The index that changes are applied to now, complete or not. */
  current(org: number): OrganizationIndex | undefined {
    return this.#entries.get(org)?.index;
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
    const entry: Entry = { index, built: Promise.resolve(), builtDeleted: undefined };
    this.#entries.set(org, entry);
    entry.built = this.#build(org, entry, true);
    return entry;
  }

  async #build(org: number, entry: Entry, active: boolean): Promise<void> {
    const { index } = entry;
    if (!active) index.keepDeleted();
    let createdAfter = Number.MIN_SAFE_INTEGER;
    try {
      for (;;) {
        const vectors = this.#source.read(org, index.fingerprint, active, createdAfter);
        const last = vectors.at(-1);
        if (!last) return;
        // What was committed meanwhile has been applied, and what is read now is that same state.
        for (const vector of vectors) index.apply({ ...vector, kind: 'put', active });
        createdAfter = last.createdAt;
        await setImmediate();
      }
    } catch (error) {
      if (this.#entries.get(org) === entry) this.forget(org);
      throw error;
    }
  }
}
