import { type SavedMatrix, SavedMatrixBuilder } from '../scan/saved-matrix.js';
import type { CatchUp, CaughtUp, ChangesOrder } from './catch-up.js';
import type { EarlyFile } from './early-file.js';
import { type FileEnd, type IndexFileHeader, IndexFileReader, type ReadState } from './index-file.js';
import { IndexFileError } from './index-file-parts.js';

/** Names a file, and the index that it should contain. */
export interface IndexFileOrder {
  path: string;
  organizationId: string;
  /** The token of the state up to which it is read. */
  token: string;
  /** The organization's clock. */
  clock: number;
  changes: ChangesOrder;
}

/** An index that was read from a file, with the changes that the file does not have. */
export interface ReadIndex {
  dimensions: number;
  matrix: SavedMatrix;
  end: FileEnd;
  /** The seqs of the memories that changed after the file was written. */
  changed: readonly number[];
  /** The time up to which the index has every change. */
  completeAt: number;
}

/** An index as a file contains it. */
export interface FileIndex extends ReadState {
  header: IndexFileHeader;
  builder: SavedMatrixBuilder;
}

/** Reads indexes from files, and applies later changes from the database. */
export class IndexReader implements Disposable {
  readonly #early: EarlyFile | undefined;
  /** Most files are complete, and then no engine is needed. */
  #catchUp: CatchUp | undefined;

  constructor(early?: EarlyFile) {
    this.#early = early;
  }

  /** Returns undefined if the file is missing or damaged, or of another index, or does not contain the state. */
  async read(order: IndexFileOrder): Promise<ReadIndex | undefined> {
    const { path, organizationId, changes, token } = order;
    const isOrdered = ({ header }: Pick<FileIndex, 'header'>) =>
      header.organizationId === organizationId && header.fingerprint === changes.vectors.fingerprint;
    const known = this.#early?.take(path);
    const file =
      known?.state.token === token ? known : readFile(path, (reader, builder) => reader.readTo(token, builder));
    if (!file || !isOrdered(file)) return undefined;
    const caughtUp = await this.#caughtUpTo(order, file);
    return { dimensions: file.header.dimensions, matrix: file.builder.matrix, end: file.end, ...caughtUp };
  }

  /** Closes the database, if it was needed. */
  [Symbol.dispose](): void {
    this.#catchUp?.[Symbol.dispose]();
    this.#catchUp = undefined;
  }

  async #caughtUpTo({ changes, clock }: IndexFileOrder, { builder, state }: FileIndex): Promise<CaughtUp> {
    if (clock <= state.clock) return { completeAt: state.clock, changed: [] };
    try {
      this.#catchUp ??= new (await import('./catch-up.js')).CatchUp();
      return this.#catchUp.run(changes, builder, state.clock);
    } catch {
      // The main thread reads the changes, and meets the same fault.
      this[Symbol.dispose]();
      return { completeAt: state.clock, changed: [] };
    }
  }
}

/** Reads the last state of a file. Returns undefined if the file is damaged or was not written completely. */
export function readLastState(path: string): FileIndex | undefined {
  return readFile(path, (reader, builder) => reader.readAll(builder));
}

function readFile(
  path: string,
  read: (reader: IndexFileReader, builder: SavedMatrixBuilder) => ReadState | undefined,
): FileIndex | undefined {
  try {
    using reader = IndexFileReader.open(path);
    if (!reader) return undefined;
    const { header } = reader;
    const builder = new SavedMatrixBuilder(header.dimensions);
    builder.reserve(Math.floor(reader.size / header.dimensions));
    const found = read(reader, builder);
    return found && { ...found, header, builder };
  } catch (error) {
    // Any fault of the file or its folder is harmless: the vectors are also in the database.
    if (error instanceof IndexFileError || isSystemError(error)) return undefined;
    throw error;
  }
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
