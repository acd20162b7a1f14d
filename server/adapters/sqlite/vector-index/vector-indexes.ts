import { setImmediate } from 'node:timers/promises';
import type { IndexUse } from '../../../ports/store.js';
import { type IndexedVector, OrganizationIndex, type VectorChange } from './organization-index.js';
import type { Scan } from './scan/scan.js';
import type { ScanThreads } from './scan/scan-threads.js';
import { SpreadMatrix } from './scan/spread-matrix.js';

/** The committed vectors that indexes are built from. */
export interface VectorSource {
  /** The embedder whose vectors take part in searches; undefined before the first one. */
  fingerprint(org: number): string | undefined;
  /** Vectors of some active or some deleted memories created after a time, oldest first; none when there are no more. */
  read(org: number, fingerprint: string, active: boolean, createdAfter: number): IndexedVector[];
  /**
   * What an index that was complete at a time lacks of some active or some deleted memories changed after it, earliest
   * first; none when there are no more.
   */
  changes(org: number, fingerprint: string, active: boolean, changedAfter: number): TimedChange[];
}

export interface TimedChange {
  change: VectorChange;
  changedAt: number;
}

/** Indexes that outlive the process. */
export interface IndexArchive {
  /** Fills an empty index and tells the time up to which it is complete; undefined where it has to be built. */
  load(org: number, index: OrganizationIndex): Promise<number | undefined>;
  /** False where the index changed too much meanwhile. */
  save(org: number, index: OrganizationIndex): Promise<boolean>;
  /** Deletes what was saved of an index. */
  remove(org: number): Promise<void>;
}

/** Rows that are scanned here, and rows that are scanned in threads. */
interface Scans {
  scan: Scan;
  threads: ScanThreads;
}

/** The use of an index by one search, which keeps it from being let go. */
export interface IndexLease extends Disposable {
  readonly index: OrganizationIndex;
  /** The memories that changed since. */
  readonly changed: ReadonlySet<number>;
  /** False once another index has to be asked, since this one is not kept in step any more. */
  readonly isCurrent: boolean;
}

interface VectorIndexesOptions {
  /** What all indexes may take; the one in use stays whatever it takes. */
  budgetBytes?: number | undefined;
  archive?: IndexArchive | undefined;
}

/** How much of an index changed. */
interface IndexChanges {
  changes: number;
  /** Of its rows. */
  share: number;
}

interface Entry {
  index: OrganizationIndex;
  /** What it was counted with last. */
  bytes: number;
  /** Changes that its archive does not have. */
  unsaved: number;
  /** Searches that are under way. */
  leases: number;
  /** One that is being built is not let go: its builder would only begin again. */
  isBuilding: boolean;
  /** Settles when the active memories are in it. */
  built: Promise<void>;
  /** The same of the deleted ones, once a search has asked for them. */
  builtDeleted: Promise<void> | undefined;
}

/**
 * The resident indexes, each built from the database when it is first asked
 * for and kept in step by `apply`. When they take more than their budget, the
 * ones that no search or write has used for longest are let go.
 *
 * Committing and applying happen in one turn of the event loop, so no search
 * sees the one without the other.
 */
export class VectorIndexes {
  readonly #source: VectorSource;
  readonly #newMatrix: (dimensions: number) => SpreadMatrix;
  readonly #archive: IndexArchive | undefined;
  readonly #budgetBytes: number;
  /** The one used last comes last. */
  readonly #entries = new Map<number, Entry>();
  #bytes = 0;
  /** Settles with the last saving: no two write the same file. */
  #saved: Promise<void> = Promise.resolve();

  constructor(source: VectorSource, { scan, threads }: Scans, { archive, budgetBytes }: VectorIndexesOptions = {}) {
    this.#source = source;
    this.#newMatrix = (dimensions) => new SpreadMatrix(dimensions, scan, threads);
    this.#archive = archive;
    this.#budgetBytes = budgetBytes ?? Number.POSITIVE_INFINITY;
  }

  get use(): IndexUse {
    return { bytes: this.#bytes, organizations: this.#entries.size };
  }

  /** Builds an index where it is not resident. */
  async warm(org: number): Promise<void> {
    await this.#open(org, false, () => {});
  }

  /** Undefined while the organization has no vectors. */
  lease(org: number, includeDeleted: boolean): Promise<IndexLease | undefined> {
    return this.#open(org, includeDeleted, (entry) => this.#lease(org, entry));
  }

  /** @param use called in the turn in which the index is complete */
  async #open<T>(org: number, includeDeleted: boolean, use: (entry: Entry) => T): Promise<T | undefined> {
    for (;;) {
      const entry = this.#entries.get(org) ?? this.#start(org);
      if (!entry) return undefined;
      await entry.built;
      if (includeDeleted) {
        entry.builtDeleted ??= this.#building(org, entry, () => this.#buildDeleted(org, entry));
        await entry.builtDeleted;
      }
      if (this.#entries.get(org) !== entry) continue;
      this.#count(entry);
      this.#use(org, entry);
      return use(entry);
    }
  }

  #lease(org: number, entry: Entry): IndexLease {
    const entries = this.#entries;
    const changed = entry.index.watch();
    entry.leases += 1;
    return {
      index: entry.index,
      changed,
      get isCurrent() {
        return entries.get(org) === entry;
      },
      [Symbol.dispose]: () => {
        changed[Symbol.dispose]();
        entry.leases -= 1;
        this.#trim();
      },
    };
  }

  /** Brings an index up to date with what was just committed. */
  apply(org: number, change: VectorChange): void {
    const entry = this.#entries.get(org);
    if (!entry) return;
    entry.index.apply(change);
    if (change.kind !== 'edit') entry.unsaved += 1;
    this.#count(entry);
  }

  /** Archives, one after the other, the indexes that changed so much since they were archived. */
  save(least: IndexChanges): Promise<void> {
    const saved = this.#saved.then(() => this.#saveChanged(least));
    this.#saved = saved.catch(() => {});
    return saved;
  }

  /** Deletes what is archived of an index, after archiving that is under way. */
  unsave(org: number): Promise<void> {
    const removed = this.#saved.then(async () => {
      await this.#archive?.remove(org);
      const entry = this.#entries.get(org);
      if (entry) entry.unsaved = Math.max(entry.unsaved, entry.index.active?.size ?? 0);
    });
    this.#saved = removed.catch(() => {});
    return removed;
  }

  async #saveChanged({ changes, share }: IndexChanges): Promise<void> {
    for (const [org, entry] of [...this.#entries]) {
      const least = Math.max(changes, share * (entry.index.active?.size ?? 0));
      if (entry.isBuilding || entry.unsaved < least) continue;
      const { unsaved } = entry;
      if (await this.#archive?.save(org, entry.index)) entry.unsaved -= unsaved;
    }
  }

  /** Lets an index go; the next search builds it anew. */
  forget(org: number): void {
    const entry = this.#entries.get(org);
    if (!entry) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(org);
    entry.index.drop();
  }

  #count(entry: Entry): void {
    const { bytes } = entry.index;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  /** Notes that an index is used, and lets others go while all of them together take too much. */
  #use(org: number, entry: Entry): void {
    this.#entries.delete(org);
    this.#entries.set(org, entry);
    this.#trim();
  }

  #trim(): void {
    if (this.#bytes <= this.#budgetBytes) return;
    for (const [org, { isBuilding, leases }] of [...this.#entries].slice(0, -1)) {
      if (this.#bytes <= this.#budgetBytes) return;
      if (!isBuilding && leases === 0) this.forget(org);
    }
  }

  #start(org: number): Entry | undefined {
    const fingerprint = this.#source.fingerprint(org);
    if (fingerprint === undefined) return undefined;
    const index = new OrganizationIndex(fingerprint, this.#newMatrix);
    const entry: Entry = {
      index,
      bytes: 0,
      unsaved: 0,
      leases: 0,
      isBuilding: true,
      built: Promise.resolve(),
      builtDeleted: undefined,
    };
    this.#entries.set(org, entry);
    entry.built = this.#building(org, entry, () => this.#buildActive(org, entry));
    return entry;
  }

  async #building(org: number, entry: Entry, build: () => Promise<void>): Promise<void> {
    entry.isBuilding = true;
    try {
      await build();
    } catch (error) {
      if (this.#entries.get(org) === entry) this.forget(org);
      throw error;
    } finally {
      entry.isBuilding = false;
    }
  }

  async #buildActive(org: number, entry: Entry): Promise<void> {
    const { index } = entry;
    const completeAt = await this.#archive?.load(org, index);
    if (completeAt !== undefined) {
      await this.#catchUp(org, entry, true, completeAt);
      await this.#catchUp(org, entry, false, completeAt);
      return;
    }
    index.clear();
    await this.#readAll(org, index, true);
    entry.unsaved = Math.max(entry.unsaved, index.active?.size ?? 0);
  }

  async #buildDeleted(org: number, { index }: Entry): Promise<void> {
    index.keepDeleted();
    await this.#readAll(org, index, false);
  }

  /** What is committed meanwhile has been applied, and what is read then is that same state. */
  async #readAll(org: number, index: OrganizationIndex, active: boolean): Promise<void> {
    let createdAfter = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const vectors = this.#source.read(org, index.fingerprint, active, createdAfter);
      const last = vectors.at(-1);
      if (!last) return;
      for (const vector of vectors) index.put(vector, active);
      createdAfter = last.createdAt;
      await setImmediate();
    }
  }

  async #catchUp(org: number, entry: Entry, active: boolean, completeAt: number): Promise<void> {
    const { index } = entry;
    let changedAfter = completeAt;
    for (;;) {
      const changes = this.#source.changes(org, index.fingerprint, active, changedAfter);
      const last = changes.at(-1);
      if (!last) return;
      for (const { change } of changes) index.apply(change);
      entry.unsaved += changes.length;
      changedAfter = last.changedAt;
      await setImmediate();
    }
  }
}
