import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { StoreUnavailableError } from '../../../ports/store-errors.js';
import { draftOf, extendIndexFile, type FileEnd, writeIndexFile } from './file/index-file.js';
import type { IndexArchive } from './index-parts.js';
import type { OrganizationIndex } from './organization-index.js';
import { type IndexFileOrder, isSystemError, type ReadIndex } from './reader/index-reader.js';
import type { SavedRows } from './scan/block.js';
import { MovedError, type SpreadMatrix } from './scan/spread-matrix.js';

/** The records in the database about the index files beside it. */
export interface SavedIndexLedger {
  /** Returns an organization's id, its clock, and the token of the valid state of its file. */
  read(org: number): { organizationId: string; clock: number; token: string | undefined } | undefined;
  /** Returns the organizations that have had a file. */
  organizations(): readonly number[];
  /** Makes the state with `token` the valid one. Returns false if the stored token is no longer `former`. */
  replaceToken(org: number, former: string | undefined, token: string): Promise<boolean>;
}

/** The last state of an index that was written, and what changed since. */
interface SavedState {
  token: string;
  /** Undefined if the index could not be written. */
  end: FileEnd | undefined;
  /** The memories that changed since the clock of the state. */
  changed: ReadonlySet<number> & Disposable;
}

/** Reads a file. Returns undefined if it cannot be used. */
type ReadFile = (order: IndexFileOrder) => Promise<ReadIndex | undefined>;

/** Paths of the folder with the files, and of the database. */
interface IndexPlaces {
  folder: string;
  database: string;
}

type Known = NonNullable<ReturnType<SavedIndexLedger['read']>>;

/** Share of the rows of a file, compared with those of its index, from which the file is written again. */
const MAX_ROWS_SHARE = 1.5;
/** Number of states from which a file is written again, since each is read separately. */
const MAX_STATES = 1_000;
/** Share of the rows that must change before a write that failed is retried. */
const RETRY_SHARE = 0.05;
/** Size from which reading a file is faster than reading the vectors of an evicted index from the database. */
const MIN_EVICTED_ROWS = 256;
/** Share of the rows of an evicted index that its file may lack: its next search reads them from the database. */
const LACKED_SHARE = 1 / 8;
/** A start loads a file if it has this size for each row of the smallest index that is saved before its eviction. */
const WARM_ROW_BYTES = 512;
/** Number of changed rows copied in one turn of the event loop: one megabyte at 1,024 dimensions. */
const COPIED_ROWS = 1_024;

/**
 * Saves the resident indexes in files, so that a start need not read every
 * vector. The files are a cache. A file that is missing, damaged, or of another
 * database or state is not used, which costs only time.
 *
 * Changes are written behind the last state of a file, as a further state with a
 * token of its own. A database that was restored from a backup has the token of
 * an earlier state, so what follows that is not used.
 */
export class SavedIndexes implements IndexArchive {
  readonly #folder: string;
  readonly #database: string;
  readonly #ledger: SavedIndexLedger;
  readonly #read: ReadFile;
  readonly #minRows: number;
  readonly #saved = new WeakMap<OrganizationIndex, SavedState>();

  /** @param minRows minimum size of an index that is saved */
  constructor({ folder, database }: IndexPlaces, ledger: SavedIndexLedger, read: ReadFile, minRows = 2_000) {
    this.#folder = folder;
    this.#database = database;
    this.#ledger = ledger;
    this.#read = read;
    this.#minRows = minRows;
  }

  /** Returns the organizations that have had a file, those first whose file was written last. Omits those with small files. */
  recentFirst(): number[] {
    const minBytes = this.#minRows * WARM_ROW_BYTES;
    return this.#ledger
      .organizations()
      .map((org) => ({ org, ...this.#fileOf(org) }))
      .filter(({ size }) => size === 0 || size >= minBytes)
      .sort((a, b) => b.writtenAt - a.writtenAt)
      .map(({ org }) => org);
  }

  /**
   * Replaces the rows of an index by those of its file.
   *
   * @returns the clock up to which the index is complete; the caller must apply all later changes. Undefined if no file
   * could be used
   */
  async load(org: number, index: OrganizationIndex): Promise<number | undefined> {
    const known = this.#ledger.read(org);
    if (known?.token === undefined) return undefined;
    const { clock, organizationId, token } = known;
    const changes = { database: this.#database, org, vectors: index.vectors };
    const changed = index.watch();
    const read = await this.#read({ path: this.#pathOf(organizationId), organizationId, token, clock, changes });
    // If a vector was replaced meanwhile, the file has an older one.
    if (!read || this.#ledger.read(org)?.token !== token) {
      changed[Symbol.dispose]();
      return undefined;
    }
    index.adopt(read.dimensions, read.matrix);
    this.#replace(index, { token, end: read.end, changed });
    for (const seq of read.changed) index.apply({ kind: 'edit', seq });
    return read.completeAt;
  }

  unsaved(index: OrganizationIndex): number {
    const size = index.active?.size ?? 0;
    const saved = this.#saved.get(index);
    if (!saved) return size;
    const { size: changed } = saved.changed;
    return saved.end || changed >= size * RETRY_SHARE ? changed : 1;
  }

  /**
   * Writes the changes of an index behind its file, or the whole index to a new file. Returns false if that failed, or
   * rows were removed or vectors replaced meanwhile. A small index gets a file only when it is evicted: while memory
   * suffices, the first search builds it in some tens of milliseconds.
   */
  async save(org: number, index: OrganizationIndex): Promise<boolean> {
    const known = (index.active?.size ?? 0) < this.#minRows ? undefined : this.#ledger.read(org);
    return known ? this.#save(org, index, known) : false;
  }

  saveOfEvicted(org: number, index: OrganizationIndex): (() => Promise<boolean>) | undefined {
    const size = index.active?.size ?? 0;
    const isSmall = size < Math.min(MIN_EVICTED_ROWS, this.#minRows);
    if (isSmall || this.unsaved(index) < size * LACKED_SHARE) return undefined;
    const known = this.#readUnlessUnavailable(org);
    return known && (() => this.#save(org, index, known));
  }

  /** Returns undefined if the database fails. Requests report that. */
  #readUnlessUnavailable(org: number): Known | undefined {
    try {
      return this.#ledger.read(org);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return undefined;
      throw error;
    }
  }

  async #save(org: number, index: OrganizationIndex, known: Known): Promise<boolean> {
    const matrix = index.active;
    if (!matrix) return false;
    // Rows that are put from here on are later than the clock.
    const changed = index.watch();
    const token = randomUUID();
    let next: SavedState | undefined;
    try {
      const end = await this.#write(known, index, matrix, token);
      const isValid = end !== undefined && (await this.#ledger.replaceToken(org, known.token, token));
      next = { token, end: isValid ? end : undefined, changed };
      return isValid;
    } finally {
      if (next) this.#replace(index, next);
      else changed[Symbol.dispose]();
    }
  }

  async remove(org: number, index: OrganizationIndex | undefined): Promise<void> {
    if (index) this.#replace(index, undefined);
    const known = this.#ledger.read(org);
    if (!known) return;
    const path = this.#pathOf(known.organizationId);
    for (const file of [path, draftOf(path)]) await rm(file, { force: true });
  }

  /** Returns undefined if the index could not be written. */
  async #write(
    { organizationId, clock, token: former }: Known,
    index: OrganizationIndex,
    matrix: SpreadMatrix,
    token: string,
  ): Promise<FileEnd | undefined> {
    const path = this.#pathOf(organizationId);
    const saved = this.#saved.get(index);
    try {
      if (saved?.end && saved.token === former && isWorthExtending(saved.end, saved.changed.size, matrix.size)) {
        const removed: number[] = [];
        const chunks = changedRows(matrix, [...saved.changed], removed);
        return await extendIndexFile(path, saved.end, { chunks, removed }, { token, former, clock });
      }
      const { fingerprint } = index.vectors;
      const copies = matrix.copies();
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      return await writeIndexFile(path, { organizationId, fingerprint, dimensions: matrix.dimensions }, copies, {
        token,
        clock,
      });
    } catch (error) {
      // A full disk only costs the next start some seconds.
      if (error instanceof MovedError || isSystemError(error)) return undefined;
      throw error;
    }
  }

  #replace(index: OrganizationIndex, state: SavedState | undefined): void {
    this.#saved.get(index)?.changed[Symbol.dispose]();
    if (state) this.#saved.set(index, state);
    else this.#saved.delete(index);
  }

  /** Returns size 0 if there is no file. */
  #fileOf(org: number): { size: number; writtenAt: number } {
    const known = this.#ledger.read(org);
    const stat = known && statSync(this.#pathOf(known.organizationId), { throwIfNoEntry: false });
    return { size: stat?.size ?? 0, writtenAt: stat?.mtimeMs ?? 0 };
  }

  #pathOf(organizationId: string): string {
    return join(this.#folder, `${organizationId}.vectors`);
  }
}

/** @param size number of rows of the index */
function isWorthExtending({ rows, states }: FileEnd, changed: number, size: number): boolean {
  return states < MAX_STATES && rows + changed <= size * MAX_ROWS_SHARE;
}

/**
 * Copies the rows with these seqs, and gives others a turn between the copies.
 *
 * @param removed gets the seqs without a row
 */
async function* changedRows(
  matrix: SpreadMatrix,
  seqs: readonly number[],
  removed: number[],
): AsyncGenerator<SavedRows> {
  for (let at = 0; at < seqs.length; at += COPIED_ROWS) {
    const { chunks, missing } = matrix.pick(seqs.slice(at, at + COPIED_ROWS));
    removed.push(...missing);
    yield* chunks;
    await setImmediate();
  }
}
