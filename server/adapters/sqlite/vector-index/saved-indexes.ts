import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { draftOf, IndexFileError, IndexFileReader, writeIndexFile } from './index-file.js';
import type { IndexArchive } from './index-parts.js';
import type { OrganizationIndex } from './organization-index.js';
import { MovedError } from './scan/spread-matrix.js';

/** The records in the database about the index files beside it. */
export interface SavedIndexLedger {
  /** Returns an organization's id, its clock, and the token of its valid file. */
  read(org: number): { organizationId: string; clock: number; token: string | undefined } | undefined;
  /** Makes the file with `token` the valid one. Returns false if the stored token is no longer `former`. */
  replaceToken(org: number, former: string | undefined, token: string): Promise<boolean>;
}

/**
 * Saves the resident indexes in files, so that a start need not read every
 * vector. The files are a cache. A file that is missing, damaged, or of another
 * database or state is not used, which costs only time.
 */
export class SavedIndexes implements IndexArchive {
  readonly #folder: string;
  readonly #ledger: SavedIndexLedger;
  readonly #minRows: number;

  /** @param minRows minimum size of an index that is saved */
  constructor(folder: string, ledger: SavedIndexLedger, minRows = 2_000) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#minRows = minRows;
  }

  /**
   * Puts the rows of a file into an empty index.
   *
   * @returns the clock up to which the index is complete. Undefined if no file could be used; then the caller must
   * clear the index
   */
  async load(org: number, index: OrganizationIndex): Promise<number | undefined> {
    const known = this.#ledger.read(org);
    if (known?.token === undefined) return undefined;
    try {
      await using file = await IndexFileReader.open(this.#pathOf(known.organizationId));
      const header = file?.header;
      if (!header || header.token !== known.token) return undefined;
      if (header.organizationId !== known.organizationId || header.fingerprint !== index.vectors.fingerprint)
        return undefined;
      for await (const chunk of file.chunks()) {
        index.load(chunk, header.dimensions, header.rows);
        await setImmediate();
      }
      // If a vector was replaced meanwhile, the older row of the file may have overwritten it.
      return this.#ledger.read(org)?.token === known.token ? header.clock : undefined;
    } catch (error) {
      // Any fault of the file or its folder is harmless: the vectors are also in the database.
      if (error instanceof IndexFileError || isSystemError(error)) return undefined;
      throw error;
    }
  }

  /**
   * Writes the active rows of an index. Returns false if rows were removed or vectors replaced meanwhile. A small index
   * gets no file, since building it is as fast as reading a file.
   */
  async save(org: number, index: OrganizationIndex): Promise<boolean> {
    const known = this.#ledger.read(org);
    const matrix = index.active;
    if (!known || !matrix || matrix.size < this.#minRows) return false;
    const { organizationId, clock } = known;
    const token = randomUUID();
    const { dimensions, size: rows } = matrix;
    const header = { organizationId, fingerprint: index.vectors.fingerprint, token, clock, dimensions, rows };
    try {
      // Rows that are put from here on are later than the clock.
      const copies = matrix.copies();
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeIndexFile(this.#pathOf(organizationId), header, copies);
    } catch (error) {
      // A full disk only costs the next start some seconds.
      if (error instanceof MovedError || isSystemError(error)) return false;
      throw error;
    }
    return this.#ledger.replaceToken(org, known.token, token);
  }

  async remove(org: number): Promise<void> {
    const known = this.#ledger.read(org);
    if (!known) return;
    const path = this.#pathOf(known.organizationId);
    for (const file of [path, draftOf(path)]) await rm(file, { force: true });
  }

  #pathOf(organizationId: string): string {
    return join(this.#folder, `${organizationId}.vectors`);
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
