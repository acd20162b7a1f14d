import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { IndexFileError, PART, PartReader, writePart } from './index-file-parts.js';
import type { SavedRows } from './scan/block.js';

/** Describes the index of a file. */
interface IndexFileHeader {
  organizationId: string;
  fingerprint: string;
  dimensions: number;
}

/** A state of an index. A file contains one or several, each behind the changes that lead to it. */
export interface IndexFileState {
  /** Must equal the token in the database. Otherwise the state belongs to another state of the database. */
  token: string;
  /** The token of the state before it. Undefined in the first state of a file. */
  former?: string | undefined;
  /** The organization's clock. The index contains every change up to it. */
  clock: number;
}

/** The place in a file where the changes after a state are written. */
export interface FileEnd {
  position: number;
  /** Number of rows before it, including those that later ones replace. */
  rows: number;
  /** Number of states before it. */
  states: number;
}

/** Receives the changes that lead to a state, in their order. */
interface StateTarget {
  /** Adds rows, or replaces those with the same seqs. It may keep the arrays. */
  load(rows: SavedRows): void;
  remove(seqs: Iterable<number>): void;
}

const MAGIC = Buffer.from('memory-service vectors 5\n');

/** Returns the path to which an index is written before it is renamed. */
export function draftOf(path: string): string {
  return `${path}.new`;
}

/** Writes an index to its draft, and renames that once it is complete and durable. */
export async function writeIndexFile(
  path: string,
  header: IndexFileHeader,
  chunks: AsyncIterable<SavedRows>,
  state: IndexFileState,
): Promise<FileEnd> {
  const draft = draftOf(path);
  const file = await open(draft, 'w', 0o600);
  let end: FileEnd;
  try {
    await file.write(MAGIC);
    const position = await writePart(file, MAGIC.length, PART.header, [toJson(header)]);
    end = await writeState(file, { position, rows: 0, states: 0 }, { chunks, removed: [] }, state);
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
  await file.close();
  await rename(draft, path);
  return end;
}

/** Writes changes and the state that they lead to. Drops everything behind `end` first. */
export async function extendIndexFile(
  path: string,
  end: FileEnd,
  changes: IndexFileChanges,
  state: IndexFileState,
): Promise<FileEnd> {
  const file = await open(path, 'r+');
  try {
    await file.truncate(end.position);
    return await writeState(file, end, changes, state);
  } finally {
    await file.close();
  }
}

interface IndexFileChanges {
  chunks: AsyncIterable<SavedRows>;
  /** The seqs of memories that left the index. Read when all chunks are written. */
  removed: readonly number[];
}

async function writeState(
  file: FileHandle,
  end: FileEnd,
  { chunks, removed }: IndexFileChanges,
  state: IndexFileState,
): Promise<FileEnd> {
  let { position, rows } = end;
  for await (const { seqs, createdAts, codes, step, error } of chunks) {
    const head = [Float64Array.of(step, error), seqs, createdAts].map(toBytes);
    position = await writePart(file, position, PART.rows, head, toBytes(codes));
    rows += seqs.length;
  }
  if (removed.length > 0)
    position = await writePart(file, position, PART.removed, [toBytes(Float64Array.from(removed))]);
  position = await writePart(file, position, PART.state, [toJson(state)]);
  await file.sync();
  return { position, rows, states: end.states + 1 };
}

/** Reads an index from a file, part by part. */
export class IndexFileReader implements AsyncDisposable {
  readonly header: IndexFileHeader;
  readonly #file: FileHandle;
  readonly #parts: PartReader;

  private constructor(file: FileHandle, header: IndexFileHeader, parts: PartReader) {
    this.#file = file;
    this.header = header;
    this.#parts = parts;
  }

  /** Returns undefined if there is no file. @throws {IndexFileError} */
  static async open(path: string): Promise<IndexFileReader | undefined> {
    const file = await openIfThere(path);
    if (!file) return undefined;
    try {
      const magic = Buffer.alloc(MAGIC.length);
      await file.read(magic, 0, magic.length, 0);
      if (!magic.equals(MAGIC)) throw new IndexFileError('the file is not an index of this release');
      const parts = new PartReader(file, MAGIC.length);
      const first = await parts.read();
      if (first?.kind !== PART.header) throw new IndexFileError('the header of the file is damaged');
      return new IndexFileReader(file, fromJson<IndexFileHeader>(first.head), parts);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Size of the file in bytes. */
  async size(): Promise<number> {
    return (await this.#file.stat()).size;
  }

  /**
   * Reads up to the state with a token. Reads a part while the target uses the one before it.
   *
   * @returns undefined if the file does not contain the state
   * @throws {IndexFileError}
   */
  async readTo(
    token: string | undefined,
    target: StateTarget,
  ): Promise<{ state: IndexFileState; end: FileEnd } | undefined> {
    const { dimensions } = this.header;
    let [former, rows, states]: [string | undefined, number, number] = [undefined, 0, 0];
    for (let part = await this.#parts.read(); part; ) {
      const { kind, head, body } = part;
      if (kind === PART.state) {
        const state = fromJson<IndexFileState>(head);
        if (state.former !== former) throw new IndexFileError('the states of the file do not follow each other');
        states += 1;
        if (state.token === token) return { state, end: { position: this.#parts.position, rows, states } };
        former = state.token;
      }
      const next = this.#parts.read();
      // If the target fails, nobody waits for it.
      next.catch(() => {});
      if (kind === PART.rows) {
        const chunk = toRows(head, body, dimensions);
        rows += chunk.seqs.length;
        target.load(chunk);
      } else if (kind === PART.removed) {
        target.remove(new Float64Array(head.buffer));
      }
      part = await next;
    }
    return undefined;
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

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function fromJson<T>(bytes: Buffer): T {
  try {
    return JSON.parse(bytes.toString('utf8')) as T;
  } catch (cause) {
    throw new IndexFileError('a description in the file is damaged', { cause });
  }
}

/** Size of step and error. */
const SCALE_BYTES = 2 * 8;
/** Size of seq and time, eight bytes each. */
const ROW_BYTES = 2 * 8;

function toRows({ buffer, length }: Buffer<ArrayBuffer>, codes: Buffer<ArrayBuffer>, dimensions: number): SavedRows {
  const rows = (length - SCALE_BYTES) / ROW_BYTES;
  if (!Number.isInteger(rows) || rows <= 0 || codes.length !== rows * dimensions)
    throw new IndexFileError('the length of the rows does not match the header');
  const [step, error] = new Float64Array(buffer, 0, 2) as unknown as [number, number];
  return {
    step,
    error,
    seqs: new Float64Array(buffer, SCALE_BYTES, rows),
    createdAts: new Float64Array(buffer, SCALE_BYTES + 8 * rows, rows),
    codes: new Int8Array(codes.buffer, 0, rows * dimensions),
  };
}

function toBytes(column: Float64Array | Int8Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
