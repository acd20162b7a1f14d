import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { SavedRows } from './scan/block.js';

/** The header of a file, which describes its index. */
interface IndexFileHeader {
  organizationId: string;
  fingerprint: string;
  /** Must equal the token in the database. Otherwise the file belongs to another state of the database. */
  token: string;
  /** The organization's clock. The index contains every change up to it. */
  clock: number;
  dimensions: number;
  /** Number of rows in all chunks. */
  rows: number;
}

/** Reports a file that is truncated, damaged, of another release, or not an index file. */
export class IndexFileError extends Error {
  override name = 'IndexFileError';
}

const MAGIC = Buffer.from('memory-service vectors 4\n');
const LENGTH_BYTES = 8;
const MAX_PART_BYTES = 2 ** 30;

/** Returns the path to which an index is written before it is renamed. */
export function draftOf(path: string): string {
  return `${path}.new`;
}

/**
 * Writes an index to its draft, and renames that once it is complete and
 * durable. Every part has its length and its CRC-32.
 */
export async function writeIndexFile(
  path: string,
  header: IndexFileHeader,
  chunks: AsyncIterable<SavedRows>,
): Promise<void> {
  const draft = draftOf(path);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.write(MAGIC);
    await writePart(file, Buffer.from(JSON.stringify(header)));
    for await (const { seqs, createdAts, codes, step, error } of chunks) {
      await writePart(file, Buffer.concat([Float64Array.of(step, error), seqs, createdAts, codes].map(toBytes)));
    }
    await file.sync();
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
  await file.close();
  await rename(draft, path);
}

/** Reads an index from a file, part by part. */
export class IndexFileReader implements AsyncDisposable {
  readonly header: IndexFileHeader;
  readonly #file: FileHandle;

  private constructor(file: FileHandle, header: IndexFileHeader) {
    this.#file = file;
    this.header = header;
  }

  /** Returns undefined if there is no file. @throws {IndexFileError} */
  static async open(path: string): Promise<IndexFileReader | undefined> {
    const file = await openIfThere(path);
    if (!file) return undefined;
    try {
      const magic = await readBytes(file, MAGIC.length);
      if (!magic.equals(MAGIC)) throw new IndexFileError('the file is not an index of this release');
      return new IndexFileReader(file, parseHeader(await readPart(file)));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** @throws {IndexFileError} */
  async *chunks(): AsyncGenerator<SavedRows> {
    const { dimensions, rows } = this.header;
    let part = this.#readAhead();
    for (let read = 0; read < rows; ) {
      const chunk = toChunk(await part, dimensions);
      read += chunk.seqs.length;
      if (chunk.seqs.length === 0 || read > rows)
        throw new IndexFileError('the rows of the file do not match its header');
      if (read < rows) part = this.#readAhead();
      yield chunk;
    }
  }

  /** Reads a part while the caller uses the one before it. */
  #readAhead(): Promise<Buffer<ArrayBuffer>> {
    const part = readPart(this.#file);
    // If the caller stops, nobody waits for it.
    part.catch(() => {});
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writePart(file: FileHandle, bytes: Buffer): Promise<void> {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length, 0);
  length.writeUInt32LE(crc32(bytes), 4);
  await file.write(length);
  await file.write(bytes);
}

async function readPart(file: FileHandle): Promise<Buffer<ArrayBuffer>> {
  const length = await readBytes(file, LENGTH_BYTES);
  const size = length.readUInt32LE(0);
  if (size > MAX_PART_BYTES) throw new IndexFileError('a part of the file is damaged');
  const bytes = await readBytes(file, size);
  if (crc32(bytes) !== length.readUInt32LE(4)) throw new IndexFileError('a part of the file is damaged');
  return bytes;
}

async function readBytes(file: FileHandle, size: number): Promise<Buffer<ArrayBuffer>> {
  // A new buffer aligns the columns in it.
  const bytes = Buffer.from(new ArrayBuffer(size));
  for (let read = 0; read < size; ) {
    const { bytesRead } = await file.read(bytes, read, size - read);
    if (bytesRead === 0) throw new IndexFileError('the file is truncated');
    read += bytesRead;
  }
  return bytes;
}

function parseHeader(bytes: Buffer): IndexFileHeader {
  try {
    return JSON.parse(bytes.toString('utf8')) as IndexFileHeader;
  } catch (cause) {
    throw new IndexFileError('the header of the file is damaged', { cause });
  }
}

/** Size of step and error. */
const SCALE_BYTES = 2 * 8;
/** Size of seq and time, eight bytes each. */
const ROW_BYTES = 2 * 8;

function toChunk({ buffer, length }: Buffer<ArrayBuffer>, dimensions: number): SavedRows {
  const rows = (length - SCALE_BYTES) / (ROW_BYTES + dimensions);
  if (!Number.isInteger(rows) || rows < 0) throw new IndexFileError('the length of the rows does not match the header');
  const [step, error] = new Float64Array(buffer, 0, 2) as unknown as [number, number];
  return {
    step,
    error,
    seqs: new Float64Array(buffer, SCALE_BYTES, rows),
    createdAts: new Float64Array(buffer, SCALE_BYTES + 8 * rows, rows),
    codes: new Int8Array(buffer, SCALE_BYTES + ROW_BYTES * rows, rows * dimensions),
  };
}

function toBytes(column: Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
