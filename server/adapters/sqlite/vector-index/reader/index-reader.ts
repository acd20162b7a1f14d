import { awaitNative } from '../../../threads/native-calls.js';
import { type FileEnd, type IndexFileHeader, IndexFileReader, type ReadState } from '../file/index-file.js';
import { IndexFileError } from '../file/index-file-parts.js';
import type { StoredIndex } from '../index-parts.js';
import { SavedMatrixBuilder } from '../scan/saved-matrix.js';
import type { CaughtUp, DatabaseReader, VectorsOrder } from './database-reader.js';
import type { EarlyFile } from './early-file.js';

/** Names a file, and the index that it should contain. */
export interface IndexFileOrder {
  path: string;
  organizationId: string;
  /** The token of the state up to which it is read. */
  token: string;
  /** The organization's clock. */
  clock: number;
  changes: VectorsOrder;
}

/** An index that was read from a file, with the changes that the file does not have. */
export interface ReadIndex extends StoredIndex {
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

/** Reads indexes from files, with later changes from the database, or from the database alone. */
export class IndexReader implements Disposable {
  readonly #early: EarlyFile | undefined;
  /** Most files are complete, and then no engine is needed. */
  #database: DatabaseReader | undefined;
  #isEnding = false;

  constructor(early?: EarlyFile) {
    this.#early = early;
  }

  /** Returns undefined if the file is missing or damaged, or of another index, or does not contain the state. */
  async readFile(order: IndexFileOrder): Promise<ReadIndex | undefined> {
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

  /** Returns undefined if there are no vectors, `end` was called, or they cannot be read. */
  async readDatabase(order: VectorsOrder): Promise<StoredIndex | undefined> {
    try {
      const database = await awaitNative(() => this.#opened());
      return await database.readAll(order, () => this.#isEnding);
    } catch {
      // The main thread reads the vectors, and meets the same fault.
      return undefined;
    }
  }

  /** Ends all reads of the database soon. */
  end(): void {
    this.#isEnding = true;
  }

  /** Closes the database, if it was needed. A later read opens it again. */
  [Symbol.dispose](): void {
    this.#database?.[Symbol.dispose]();
  }

  async #caughtUpTo({ changes, clock }: IndexFileOrder, { builder, state }: FileIndex): Promise<CaughtUp> {
    if (clock <= state.clock) return { completeAt: state.clock, changed: [] };
    try {
      const database = await this.#opened();
      return database.catchUp(changes, builder, state.clock);
    } catch {
      // The main thread reads the changes, and meets the same fault.
      this[Symbol.dispose]();
      return { completeAt: state.clock, changed: [] };
    }
  }

  async #opened(): Promise<DatabaseReader> {
    const { DatabaseReader } = await import('./database-reader.js');
    this.#database ??= new DatabaseReader();
    return this.#database;
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
