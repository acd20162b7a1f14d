import { type FileEnd, IndexFileReader, type IndexFileState } from './index-file.js';
import { IndexFileError } from './index-file-parts.js';
import { type SavedMatrix, SavedMatrixBuilder } from './scan/saved-matrix.js';

/** Names a file, and the index that it should contain. */
export interface IndexFileOrder {
  path: string;
  organizationId: string;
  fingerprint: string;
  /** Of the state up to which it is read. */
  token: string;
}

/** An index as a file contains it. */
export interface ReadIndex {
  dimensions: number;
  matrix: SavedMatrix;
  state: IndexFileState;
  end: FileEnd;
}

/** Returns undefined if the file is missing or damaged, or of another index, or does not contain the state. */
export function readIndexFile(order: IndexFileOrder): ReadIndex | undefined {
  try {
    return read(order);
  } catch (error) {
    // Any fault of the file or its folder is harmless: the vectors are also in the database.
    if (error instanceof IndexFileError || isSystemError(error)) return undefined;
    throw error;
  }
}

function read({ path, organizationId, fingerprint, token }: IndexFileOrder): ReadIndex | undefined {
  using file = IndexFileReader.open(path);
  if (!file) return undefined;
  const { header } = file;
  if (header.organizationId !== organizationId || header.fingerprint !== fingerprint) return undefined;
  const { dimensions } = header;
  const builder = new SavedMatrixBuilder(dimensions);
  builder.reserve(Math.floor(file.size / dimensions));
  const found = file.readTo(token, builder);
  return found && { ...found, dimensions, matrix: builder.matrix };
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
