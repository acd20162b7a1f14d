import { readvSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Reports a file that is truncated, damaged, of another release, or not an index file. */
export class IndexFileError extends Error {
  override name = 'IndexFileError';
}

/** The kinds of parts of an index file. */
export const PART = { header: 1, rows: 2, removed: 3, state: 4 } as const;

/** A part of an index file. */
interface Part {
  kind: number;
  /** In a buffer of its own, in which columns are aligned. */
  head: Buffer<ArrayBuffer>;
  /** The buffers into which the body was read. */
  body: readonly Int8Array[];
}

/** The kind of a part, and the bytes of its head and body. */
export interface PartSizes {
  kind: number;
  head: number;
  body: number;
}

/** Kind, length of head and body, and CRC-32 of these numbers and both buffers: four bytes each. */
const PREFIX_BYTES = 16;
const CRC_AT = 12;
const MAX_PART_BYTES = 2 ** 30;

/** Writes a part at a position. Returns the position after it. */
export async function writePart(
  file: FileHandle,
  at: number,
  kind: number,
  head: readonly Uint8Array[],
  body: Uint8Array = new Uint8Array(),
): Promise<number> {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(kind, 0);
  prefix.writeUInt32LE(bytesOf(head), 4);
  prefix.writeUInt32LE(body.length, 8);
  prefix.writeUInt32LE(checksum([prefix.subarray(0, CRC_AT), ...head, body]), CRC_AT);
  await writeAll(file, [prefix, ...head, body], at);
  return at + bytesOf([prefix, ...head, body]);
}

/** Reads the parts of a file one after the other. Reads the lengths of a part together with the part before it. */
export class PartReader {
  readonly #file: number;
  #position: number;
  #prefix: Buffer | undefined;

  /** @param file descriptor of the file */
  constructor(file: number, position: number) {
    this.#file = file;
    this.#position = position;
  }

  /** Position after the part read last. */
  get position(): number {
    return this.#position;
  }

  /**
   * Returns undefined at the end of the file.
   *
   * @param bodyOf returns the buffers into which the body is read, together as long as it
   * @throws {IndexFileError}
   */
  read(bodyOf: (sizes: PartSizes) => readonly Int8Array[]): Part | undefined {
    const prefix = this.#prefix ?? this.#firstPrefix();
    if (prefix.length === 0) return undefined;
    if (prefix.length < PREFIX_BYTES) throw new IndexFileError('the file is truncated');
    const sizes = { kind: prefix.readUInt32LE(0), head: prefix.readUInt32LE(4), body: prefix.readUInt32LE(8) };
    const size = sizes.head + sizes.body;
    if (size > MAX_PART_BYTES) throw new IndexFileError('a part of the file is damaged');
    const head = Buffer.from(new ArrayBuffer(sizes.head));
    const body = bodyOf(sizes);
    const next = Buffer.alloc(PREFIX_BYTES);
    const content = [head, ...body.map(toBytes)];
    const read = readAll(this.#file, [...content, next], this.#position + PREFIX_BYTES);
    if (read < size) throw new IndexFileError('the file is truncated');
    if (checksum([prefix.subarray(0, CRC_AT), ...content]) !== prefix.readUInt32LE(CRC_AT))
      throw new IndexFileError('a part of the file is damaged');
    this.#position += PREFIX_BYTES + size;
    this.#prefix = next.subarray(0, read - size);
    return { kind: sizes.kind, head, body };
  }

  #firstPrefix(): Buffer {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    return prefix.subarray(0, readAll(this.#file, [prefix], this.#position));
  }
}

/** Returns the bytes of an array, not a copy. */
export function toBytes({ buffer, byteOffset, byteLength }: Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function bytesOf(buffers: readonly Uint8Array[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Leaves out empty buffers: the library returns 0 for an empty one, whatever came before it. */
function checksum(buffers: readonly Uint8Array[]): number {
  return buffers.reduce((crc, buffer) => (buffer.length > 0 ? crc32(buffer, crc) : crc), 0);
}

async function writeAll(file: FileHandle, buffers: readonly Uint8Array[], at: number): Promise<void> {
  let [left, position] = [buffers.filter(({ length }) => length > 0), at];
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left, position);
    left = rest(left, bytesWritten);
    position += bytesWritten;
  }
}

/** Fills the buffers in turn. Returns the number of bytes read, which is less than their size at the end of the file. */
function readAll(file: number, buffers: readonly Uint8Array[], at: number): number {
  let [left, position] = [buffers.filter(({ length }) => length > 0), at];
  while (left.length > 0) {
    const bytesRead = readvSync(file, left, position);
    if (bytesRead === 0) break;
    left = rest(left, bytesRead);
    position += bytesRead;
  }
  return position - at;
}

/** Returns the buffers without their first bytes. */
function rest(buffers: readonly Uint8Array[], done: number): Uint8Array[] {
  let skipped = done;
  const left: Uint8Array[] = [];
  for (const buffer of buffers) {
    if (skipped < buffer.length) left.push(buffer.subarray(skipped));
    skipped = Math.max(0, skipped - buffer.length);
  }
  return left;
}
