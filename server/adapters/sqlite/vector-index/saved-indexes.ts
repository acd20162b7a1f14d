import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { draftOf, IndexFileError, IndexFileReader, writeIndexFile } from './index-file.js';
import type { OrganizationIndex } from './organization-index.js';
import type { SavedRows } from './scan/block.js';
import { MovedError } from './scan/spread-matrix.js';
import type { IndexArchive } from './vector-indexes.js';

/** What the database knows of the files beside it. */
export interface SavedIndexLedger {
  /** Of an organization: its id, its clock, and the token of the file that goes with this database. */
  read(org: number): { organizationId: string; clock: number; token: string | undefined } | undefined;
  /** Makes a file the one that goes with the database, unless another token than the former one is there by now. */
  replaceToken(org: number, former: string | undefined, token: string): Promise<boolean>;
}

/**
 * The resident indexes as files, so that a start need not read every vector.
 * They are a cache: one that is missing, damaged, or of another database or
 * another state of it is not used, and nothing depends on it but time.
 */
export class SavedIndexes implements IndexArchive {
  readonly #folder: string;
  readonly #ledger: SavedIndexLedger;
  readonly #fewestRows: number;

  /** @param fewestRows of an index that is worth a file */
  constructor(folder: string, ledger: SavedIndexLedger, fewestRows = 2_000) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#fewestRows = fewestRows;
  }

  /**
   * Puts the rows of a file into an empty index.
   *
   * @returns the clock up to which the index is complete; undefined where no file could be used, and the index may
   * then hold rows that have to go
   */
  async load(org: number, index: OrganizationIndex): Promise<number | undefined> {
    const known = this.#ledger.read(org);
    if (known?.token === undefined) return undefined;
    try {
      await using file = await IndexFileReader.open(this.#pathOf(known.organizationId));
      const header = file?.header;
      if (!header || header.token !== known.token) return undefined;
      if (header.organizationId !== known.organizationId || header.fingerprint !== index.fingerprint) return undefined;
      for await (const chunk of file.chunks()) {
        putRows(index, chunk, header.dimensions);
        await setImmediate();
      }
      // A vector that was exchanged meanwhile may have been put before the row that the file has of it.
      return this.#ledger.read(org)?.token === known.token ? header.clock : undefined;
    } catch (error) {
      // Whatever is wrong with the file or its folder, the vectors are in the database too.
      if (error instanceof IndexFileError || isSystemError(error)) return undefined;
      throw error;
    }
  }

  /**
   * Writes the active rows of an index; false where rows went or vectors were exchanged meanwhile. A small one is built
   * as fast as it is read, and needs no file.
   */
  async save(org: number, index: OrganizationIndex): Promise<boolean> {
    const known = this.#ledger.read(org);
    const matrix = index.active;
    if (!known || !matrix || matrix.size < this.#fewestRows) return false;
    const { organizationId, clock } = known;
    const token = randomUUID();
    const { dimensions, size: rows } = matrix;
    const header = { organizationId, fingerprint: index.fingerprint, token, clock, dimensions, rows };
    try {
      // What is put from here on is later than the clock.
      const copies = matrix.copies();
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeIndexFile(this.#pathOf(organizationId), header, copies);
    } catch (error) {
      // A full disk costs the next start some seconds, nothing else.
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

function putRows(
  index: OrganizationIndex,
  { seqs, createdAts, codes, step, error }: SavedRows,
  dimensions: number,
): void {
  for (const [row, seq] of seqs.entries()) {
    const own = codes.subarray(row * dimensions, (row + 1) * dimensions);
    const quantized = { codes: own, step, error };
    index.put({ seq, createdAt: createdAts[row] as number, quantized }, true);
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
