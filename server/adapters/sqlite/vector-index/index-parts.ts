import type { IndexedVector, OrganizationIndex, SearchedVectors, VectorChange } from './organization-index.js';
import type { SavedMatrix } from './scan/saved-matrix.js';

/** Reads the committed vectors from which indexes are built. */
export interface VectorSource {
  /** Returns which vectors searches use. Undefined before the first vector. */
  searched(org: number): SearchedVectors | undefined;
  /** Returns the vectors that will be searched after a re-embedding. Undefined without one. */
  pending(org: number): SearchedVectors | undefined;
  /** Reports if there are more active memories than this number. */
  hasMoreThan(org: number, rows: number): boolean;
  /** Returns the next vectors of active or of deleted memories created after a time, oldest first. Empty at the end. */
  read(org: number, vectors: SearchedVectors, active: boolean, createdAfter: number): IndexedVector[];
  /**
   * Returns the next changes of active or of deleted memories after a time at which the index was complete, earliest
   * first. Empty at the end.
   */
  changes(org: number, vectors: SearchedVectors, active: boolean, changedAfter: number): TimedChange[];
}

export interface TimedChange {
  change: VectorChange;
  changedAt: number;
}

/** The vectors of the active memories. May lack changes that were committed while they were read. */
export interface StoredIndex {
  dimensions: number;
  matrix: SavedMatrix;
}

/** Reads the vectors of the active memories in another thread. Undefined if the thread cannot read them. */
export type ReadAside = (org: number, vectors: SearchedVectors) => Promise<StoredIndex | undefined>;

/** Saves indexes beyond the life of the process. */
export interface IndexArchive {
  /** Fills an empty index, and returns the time up to which it is complete. Undefined if it must be built. */
  load(org: number, index: OrganizationIndex): Promise<number | undefined>;
  /** Returns the number of changes of an index that are not saved. */
  unsaved(index: OrganizationIndex): number;
  /** Returns false if the index was not saved, for example because its rows moved meanwhile. */
  save(org: number, index: OrganizationIndex): Promise<boolean>;
  /**
   * Returns what saves an index that gets no more changes, in its state at the call. Undefined if that is not worth it. Call
   * it in a turn in which the index has all committed changes.
   */
  saveOfEvicted(org: number, index: OrganizationIndex): (() => Promise<boolean>) | undefined;
  /** Deletes the saved file of an organization, whose index may be resident. */
  remove(org: number, index: OrganizationIndex | undefined): Promise<void>;
}

/** The use of an index by one search. Until its end the index is not evicted. */
export interface IndexLease extends Disposable {
  readonly index: OrganizationIndex;
  /** The memories that changed since the start of the lease. */
  readonly changed: ReadonlySet<number>;
  /** False after the index was dropped: it gets no more changes, and the search must use another one. */
  readonly isCurrent: boolean;
}
