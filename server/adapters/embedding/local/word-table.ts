import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type RowSums, rowSums } from './row-sums.js';
import { piecesOf } from './word-pieces.js';

const FILE = '#models/potion-base-8M.words';
const SHA256 = '738b749fb8a6a17392fc6a2318ad48daa13c114d9e5465a7a3797a0e76083e47';

const NEW_LINE = 0x0a;
const STEP_BYTES = 4;

/** Vectors of words, put together from those of their pieces. */
export class WordTable {
  private constructor(
    private readonly vocabulary: ReadonlyMap<string, number>,
    private readonly steps: Float32Array,
    private readonly sums: RowSums,
    readonly dimensions: number,
  ) {}

  /** @throws {Error} when the file is not the one that the model was tested with: vectors would differ unnoticed */
  static async load(): Promise<WordTable> {
    const path = createRequire(import.meta.url).resolve(FILE);
    const file = await readFile(path);
    if (createHash('sha256').update(file).digest('hex') !== SHA256)
      throw new Error(`${path} is damaged: install again`);
    return WordTable.parse(file);
  }

  private static parse(file: Buffer): WordTable {
    const headerEnd = file.indexOf(NEW_LINE);
    const header = JSON.parse(file.toString('utf8', 0, headerEnd)) as { pieces: number; dimensions: number };
    const bytes = header.pieces * (STEP_BYTES + header.dimensions / 2);
    const start = file.length - bytes;
    const pieces = file.toString('utf8', headerEnd + 1, start - 1).split('\n');
    // Little-endian, which is the memory layout of every supported platform.
    const steps = new Float32Array(header.pieces);
    new Uint8Array(steps.buffer).set(file.subarray(start, start + steps.byteLength));
    const vocabulary = new Map<string, number>();
    // A plain loop, since the first search after a start waits for it.
    for (let id = 0; id < pieces.length; id += 1) vocabulary.set(pieces[id] as string, id);
    const components = file.subarray(start + STEP_BYTES * header.pieces);
    return new WordTable(vocabulary, steps, rowSums(components, header.dimensions / 2), header.dimensions);
  }

  /** The rows of the pieces of a word, as `splitWords` gives it; empty if the table has no vector for it. */
  rowsOf(word: string): number[] {
    return piecesOf(word, this.vocabulary);
  }

  /** Adds the vectors of rows, each times `scale`, to the next sum. */
  add(rows: readonly number[], scale: number): void {
    for (const row of rows) this.sums.add(row, (this.steps[row] as number) * scale);
  }

  /** Returns the first dimensions of what was added since the last sum. */
  takeSum(dimensions: number): Float64Array {
    return this.sums.take(dimensions);
  }
}
