import type { CaughtUp, ChangesOrder } from './catch-up.js';
import { type FileEnd, IndexFileReader, type IndexFileState } from './index-file.js';
import { IndexFileError } from './index-file-parts.js';
import { type SavedMatrix, SavedMatrixBuilder } from './scan/saved-matrix.js';

/** Names a file, and the index that it should contain. */
export interface IndexFileOrder {
  path: string;
  organizationId: string;
  /** Of the state up to which it is read. */
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
interface FileIndex {
  dimensions: number;
  builder: SavedMatrixBuilder;
  state: IndexFileState;
  end: FileEnd;
}

/** Reads an index, and applies later changes from the database. Returns undefined if the file cannot be used. */
export async function readIndex(order: IndexFileOrder): Promise<ReadIndex | undefined> {
  const file = readIndexFile(order);
  if (!file) return undefined;
  const { dimensions, builder, end } = file;
  const caughtUp = await caughtUpTo(order, file);
  return { dimensions, matrix: builder.matrix, end, ...caughtUp };
}

async function caughtUpTo({ changes, clock }: IndexFileOrder, { builder, state }: FileIndex): Promise<CaughtUp> {
  if (clock <= state.clock) return { completeAt: state.clock, changed: [] };
  try {
    // Most files are complete, and then the thread needs no engine.
    const { catchUp } = await import('./catch-up.js');
    return catchUp(changes, builder, state.clock);
  } catch {
    // The main thread reads the changes, and meets the same fault.
    return { completeAt: state.clock, changed: [] };
  }
}

/** Returns undefined if the file is missing or damaged, or of another index, or does not contain the state. */
function readIndexFile(order: IndexFileOrder): FileIndex | undefined {
  try {
    return read(order);
  } catch (error) {
    // Any fault of the file or its folder is harmless: the vectors are also in the database.
    if (error instanceof IndexFileError || isSystemError(error)) return undefined;
    throw error;
  }
}

function read({ path, organizationId, changes, token }: IndexFileOrder): FileIndex | undefined {
  using file = IndexFileReader.open(path);
  if (!file) return undefined;
  const { header } = file;
  if (header.organizationId !== organizationId || header.fingerprint !== changes.vectors.fingerprint) return undefined;
  const { dimensions } = header;
  const builder = new SavedMatrixBuilder(dimensions);
  builder.reserve(Math.floor(file.size / dimensions));
  const found = file.readTo(token, builder);
  return found && { ...found, dimensions, builder };
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
