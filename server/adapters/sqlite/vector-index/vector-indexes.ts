import type { IndexUse } from '../../../ports/store.js';
import { EarlyBuilds } from './early-builds.js';
import { type BuilderOptions, IndexBuilder } from './index-builder.js';
import type { IndexArchive, IndexLease, VectorSource } from './index-parts.js';
import { OrganizationIndex, type SearchedVectors, type VectorChange } from './organization-index.js';
import type { SavedMatrix } from './scan/saved-matrix.js';
import type { Scan } from './scan/scan.js';
import { SpreadMatrix } from './scan/spread-matrix.js';
import type { ScanThreads } from './scan/threads/scan-threads.js';

/** Time after which an index that was loaded is spread, so that starting threads and copying delay no first search. */
const SPREAD_AFTER_MS = 500;

/** Maximum number of evicted indexes that wait to be saved, since each stays in memory until then. Others are only dropped. */
const MAX_EVICTED_WAITING = 2;

/** The scan for rows in the main thread, and the threads for the other rows. */
interface Scans {
  scan: Scan;
  threads: ScanThreads;
}

interface VectorIndexesOptions extends BuilderOptions {
  /** Maximum size of all indexes together. The index in use stays at any size. */
  budgetBytes?: number | undefined;
}

interface Entry {
  readonly index: OrganizationIndex;
  /** Its size at the last count. */
  bytes: number;
  /** Number of running searches. */
  leases: number;
  /** False while only writes have used it. Then it is evicted before all others. */
  isSearched: boolean;
  /** True while it is built. Then it is not evicted, since its builder would only start again. */
  isBuilding: boolean;
  /** Settles when it contains the active memories. */
  built: Promise<void>;
  /** Settles when it contains the deleted memories. Undefined until a search asks for them. */
  builtDeleted: Promise<void> | undefined;
}

/**
 * Keeps the resident indexes. Each is built from the database at its first
 * search or write, and updated by `apply`. If they exceed their budget, the
 * least recently used are evicted. After that, only a search rebuilds them.
 *
 * Commit and `apply` happen in one turn of the event loop, so no search sees
 * one without the other.
 */
export class VectorIndexes {
  readonly #source: VectorSource;
  readonly #builder: IndexBuilder;
  readonly #newMatrix: (dimensions: number, saved?: SavedMatrix) => SpreadMatrix;
  readonly #archive: IndexArchive | undefined;
  readonly #budgetBytes: number;
  /** The entries in order of use: the most recently used comes last. */
  readonly #entries = new Map<number, Entry>();
  /** Indexes of pending vectors, which are not evicted. */
  readonly #pending = new Map<number, Entry>();
  /** Organizations whose index was evicted and not searched since. */
  readonly #evicted = new Set<number>();
  readonly #early = new EarlyBuilds((org) => this.#buildEarly(org));
  #bytes = 0;
  #isTrimmingSoon = false;
  #isStopped = false;
  /** Number of evicted indexes that wait to be saved. */
  #evictedWaiting = 0;
  /** Settles when the last save ends. Saves run one after the other, so that no two write the same file. */
  #saved: Promise<void> = Promise.resolve();

  constructor(source: VectorSource, { scan, threads }: Scans, options: VectorIndexesOptions = {}) {
    const { archive, budgetBytes } = options;
    this.#source = source;
    this.#builder = new IndexBuilder(source, options);
    this.#newMatrix = (dimensions, saved) => new SpreadMatrix(dimensions, scan, threads, saved);
    this.#archive = archive;
    this.#budgetBytes = budgetBytes ?? Number.POSITIVE_INFINITY;
  }

  get use(): IndexUse {
    return { bytes: this.#bytes, organizations: this.#entries.size };
  }

  /** Builds an index if it is not resident and there is room for it. */
  async warm(org: number): Promise<void> {
    if (this.#bytes < this.#budgetBytes) await this.#open(org, false, () => {});
  }

  /** Returns undefined if the organization has no vectors. */
  lease(org: number, includeDeleted: boolean): Promise<IndexLease | undefined> {
    return this.#open(org, includeDeleted, (entry) => this.#lease(org, entry));
  }

  /** @param use called in the turn of the event loop in which the index is complete */
  async #open<T>(org: number, includeDeleted: boolean, use: (entry: Entry) => T): Promise<T | undefined> {
    for (;;) {
      const entry = this.#entries.get(org) ?? this.#start(org);
      if (!entry) return undefined;
      await entry.built;
      if (includeDeleted) {
        entry.builtDeleted ??= this.#building(org, entry, () => this.#builder.buildDeleted(org, entry.index));
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

  /** Applies a change that was just committed. */
  apply(org: number, change: VectorChange): void {
    const entry = this.#entries.get(org);
    if (!entry) {
      if (change.kind === 'put') this.#early.add(org);
      return;
    }
    entry.index.apply(change);
    this.#count(entry);
    this.#trimAfterCommit();
  }

  /** Builds the index of an organization's pending vectors, so that no search waits for it after they replace the others. */
  async prepare(org: number): Promise<void> {
    const vectors = this.#source.pending(org);
    if (!vectors || this.#pending.has(org)) return;
    const entry = this.#newEntry(vectors);
    this.#pending.set(org, entry);
    try {
      await this.#builder.buildPending(org, entry.index);
      entry.isBuilding = false;
      if (this.#pending.get(org) === entry) this.#count(entry);
    } catch (error) {
      if (this.#pending.get(org) === entry) this.#dropPending(org);
      throw error;
    }
  }

  /** Applies a change of a pending vector that was just committed. */
  applyPending(org: number, change: VectorChange): void {
    const entry = this.#pending.get(org);
    if (!entry) return;
    entry.index.apply(change);
    this.#count(entry);
  }

  /** Drops the indexes of vectors that the committed settings do not name, and searches a prepared one if they name that. */
  replace(org: number): void {
    const prepared = this.#pending.get(org);
    const [searched, pending] = [this.#source.searched(org), this.#source.pending(org)];
    if (!isSame(this.#entries.get(org)?.index.vectors, searched)) this.forget(org);
    if (!prepared || isSame(prepared.index.vectors, pending)) return;
    if (prepared.isBuilding || this.#entries.has(org) || !isSame(prepared.index.vectors, searched)) {
      this.#dropPending(org);
      return;
    }
    this.#pending.delete(org);
    this.#entries.set(org, prepared);
    this.#trimAfterCommit();
  }

  #dropPending(org: number): void {
    const entry = this.#pending.get(org);
    if (!entry) return;
    this.#bytes -= entry.bytes;
    this.#pending.delete(org);
    entry.index.drop();
  }

  /** Archives, one after the other, the indexes with at least `minChanges` changes that are not in the archive. */
  save(minChanges: number): Promise<void> {
    const saved = this.#saved.then(() => this.#saveChanged(minChanges));
    this.#saved = saved.catch(() => {});
    return saved;
  }

  /** Saves no evicted index any more, and builds none early. Call it after the last save, before the database closes. */
  stop(): void {
    this.#isStopped = true;
    this.#early.stop();
  }

  /** Deletes the archive of an index, after running saves. */
  unsave(org: number): Promise<void> {
    const removed = this.#saved.then(() => this.#archive?.remove(org, this.#entries.get(org)?.index));
    this.#saved = removed.catch(() => {});
    return removed;
  }

  async #saveChanged(minChanges: number): Promise<void> {
    const archive = this.#archive;
    if (!archive) return;
    for (const [org, { index, isBuilding }] of [...this.#entries]) {
      if (!isBuilding && archive.unsaved(index) >= minChanges) await archive.save(org, index);
    }
  }

  /** Drops an index. The next search rebuilds it. */
  forget(org: number): void {
    this.#evicted.delete(org);
    this.#remove(org)?.index.drop();
  }

  #remove(org: number): Entry | undefined {
    const entry = this.#entries.get(org);
    if (!entry) return undefined;
    this.#bytes -= entry.bytes;
    this.#entries.delete(org);
    return entry;
  }

  #count(entry: Entry): void {
    const { bytes } = entry.index;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  /** Marks an index as used. While all together exceed the budget, their columns are deleted, and then others evicted. */
  #use(org: number, entry: Entry): void {
    entry.isSearched = true;
    this.#evicted.delete(org);
    this.#entries.delete(org);
    this.#entries.set(org, entry);
    this.#trim();
  }

  /** Trims when all changes of the commit are applied, since an index that lacks some must not be saved. */
  #trimAfterCommit(): void {
    if (this.#bytes <= this.#budgetBytes || this.#isTrimmingSoon) return;
    this.#isTrimmingSoon = true;
    queueMicrotask(() => {
      this.#isTrimmingSoon = false;
      this.#trim();
    });
  }

  #trim(): void {
    if (this.#bytes <= this.#budgetBytes) return;
    const all = [...this.#entries];
    for (const [, entry] of all) {
      entry.index.releaseColumns();
      this.#count(entry);
      if (this.#bytes <= this.#budgetBytes) return;
    }
    const searched = all.filter(([, { isSearched }]) => isSearched).slice(0, -1);
    for (const [org, { index, isBuilding, leases }] of [...all.filter(([, entry]) => !entry.isSearched), ...searched]) {
      if (this.#bytes <= this.#budgetBytes) return;
      if (isBuilding || leases > 0) continue;
      this.#evict(org, index);
    }
  }

  /** Drops an index for lack of memory, and saves it if that makes its next search faster. */
  #evict(org: number, index: OrganizationIndex): void {
    const maySave = !this.#isStopped && this.#evictedWaiting < MAX_EVICTED_WAITING;
    const save = maySave ? this.#archive?.saveOfEvicted(org, index) : undefined;
    if (save) {
      this.#remove(org);
      this.#evictedWaiting += 1;
      const ended = () => {
        this.#evictedWaiting -= 1;
        index.drop();
      };
      // If it fails, the next search builds the index from the database.
      this.#saved = this.#saved.then(save).then(ended, ended);
    } else this.forget(org);
    this.#evicted.add(org);
  }

  /** Builds an index, unless it is resident or was evicted, or there is no room for it. */
  #buildEarly(org: number): Promise<void> | undefined {
    if (this.#bytes >= this.#budgetBytes || this.#evicted.has(org) || this.#entries.has(org)) return undefined;
    return this.#start(org)?.built;
  }

  #start(org: number): Entry | undefined {
    const vectors = this.#source.searched(org);
    if (vectors === undefined) return undefined;
    const entry = this.#newEntry(vectors);
    this.#entries.set(org, entry);
    entry.built = this.#building(org, entry, () => this.#builder.buildActive(org, entry.index));
    void entry.built.then(
      () => void setTimeout(() => void this.#spread(org, entry), SPREAD_AFTER_MS).unref(),
      () => {},
    );
    return entry;
  }

  async #spread(org: number, entry: Entry): Promise<void> {
    await entry.index.spread();
    if (this.#entries.get(org) !== entry) return;
    this.#count(entry);
    this.#trim();
  }

  #newEntry(vectors: SearchedVectors): Entry {
    return {
      index: new OrganizationIndex(vectors, this.#newMatrix),
      bytes: 0,
      leases: 0,
      isSearched: false,
      isBuilding: true,
      built: Promise.resolve(),
      builtDeleted: undefined,
    };
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
}

function isSame(one: SearchedVectors | undefined, other: SearchedVectors | undefined): boolean {
  return one?.fingerprint === other?.fingerprint && one?.side === other?.side;
}
