import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { SavedRows } from '../scan/block.js';
import { IndexFileError, PART, PartReader, type PartSizes, toBytes, writePart } from './index-file-parts.js';

/** Describes the index of a file. */
export interface IndexFileHeader {
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

/** A state that was read, and the place after it. */
export interface ReadState {
  state: IndexFileState;
  end: FileEnd;
}

/** Receives the changes that lead to a state, in their order. */
interface StateTarget {
  /** Returns the buffers into which the codes of the next `rows` rows are read. */
  roomFor(rows: number): readonly Int8Array[];
  /** Adds rows, or replaces those with the same seqs. Their codes are in the next one of these buffers. */
  load(rows: SavedRows): void;
  remove(seqs: Iterable<number>): void;
}

const MAGIC = Buffer.from('memory-service vectors 6\n');

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

/** Reads an index from a file, part by part. It blocks its thread. */
export class IndexFileReader implements Disposable {
  readonly header: IndexFileHeader;
  readonly #file: number;
  readonly #parts: PartReader;

  private constructor(file: number, header: IndexFileHeader, parts: PartReader) {
    this.#file = file;
    this.header = header;
    this.#parts = parts;
  }

  /** Returns undefined if there is no file. @throws {IndexFileError} */
  static open(path: string): IndexFileReader | undefined {
    const file = openIfThere(path);
    if (file === undefined) return undefined;
    try {
      const magic = Buffer.alloc(MAGIC.length);
      readSync(file, magic, 0, magic.length, 0);
      if (!magic.equals(MAGIC)) throw new IndexFileError('the file is not an index of this release');
      const parts = new PartReader(file, MAGIC.length);
      const first = parts.read(newBody);
      if (first?.kind !== PART.header) throw new IndexFileError('the header of the file is damaged');
      return new IndexFileReader(file, fromJson<IndexFileHeader>(first.head), parts);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Size of the file in bytes. */
  get size(): number {
    return fstatSync(this.#file).size;
  }

  /**
   * Reads up to the state with a token.
   *
   * @returns undefined if the file does not contain the state
   * @throws {IndexFileError}
   */
  readTo(token: string | undefined, target: StateTarget): ReadState | undefined {
    return this.#read(target, (state) => state.token === token);
  }

  /** Reads the whole file. Returns undefined if a state does not end it. @throws {IndexFileError} */
  readAll(target: StateTarget): ReadState | undefined {
    const size = this.size;
    return this.#read(target, () => this.#parts.position === size);
  }

  /** @param isLast called with each state */
  #read(target: StateTarget, isLast: (state: IndexFileState) => boolean): ReadState | undefined {
    const { dimensions } = this.header;
    const bodyOf = (sizes: PartSizes) =>
      sizes.kind === PART.rows ? target.roomFor(rowsOf(sizes, dimensions)) : newBody(sizes);
    let [former, rows, states]: [string | undefined, number, number] = [undefined, 0, 0];
    for (let part = this.#parts.read(bodyOf); part; part = this.#parts.read(bodyOf)) {
      const { kind, head, body } = part;
      if (kind === PART.rows) {
        for (const chunk of chunksOf(head, body, dimensions)) {
          rows += chunk.seqs.length;
          target.load(chunk);
        }
      }
      if (kind === PART.removed) target.remove(new Float64Array(head.buffer));
      if (kind !== PART.state) continue;
      const state = fromJson<IndexFileState>(head);
      if (state.former !== former) throw new IndexFileError('the states of the file do not follow each other');
      states += 1;
      if (isLast(state)) return { state, end: { position: this.#parts.position, rows, states } };
      former = state.token;
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function newBody({ body }: PartSizes): Int8Array[] {
  return [new Int8Array(body)];
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

/** Returns the number of rows of a part. @throws {IndexFileError} */
function rowsOf({ head, body }: PartSizes, dimensions: number): number {
  const rows = (head - SCALE_BYTES) / ROW_BYTES;
  if (!Number.isInteger(rows) || rows <= 0 || body !== rows * dimensions)
    throw new IndexFileError('the length of the rows does not match the header');
  return rows;
}

/** Returns the rows of each buffer of codes. */
function* chunksOf(
  { buffer, length }: Buffer<ArrayBuffer>,
  body: readonly Int8Array[],
  dimensions: number,
): Generator<SavedRows> {
  const rows = (length - SCALE_BYTES) / ROW_BYTES;
  const [step, error] = new Float64Array(buffer, 0, 2) as unknown as [number, number];
  const seqs = new Float64Array(buffer, SCALE_BYTES, rows);
  const createdAts = new Float64Array(buffer, SCALE_BYTES + 8 * rows, rows);
  let from = 0;
  for (const codes of body) {
    const to = from + codes.length / dimensions;
    yield { step, error, seqs: seqs.subarray(from, to), createdAts: createdAts.subarray(from, to), codes };
    from = to;
  }
}
