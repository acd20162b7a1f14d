import type { Row, SavedRows } from './block.js';
import type { QuantizedVector } from './codes/quantize.js';
import { type MatrixContents, VectorMatrix } from './matrix.js';
import { plainScan } from './scan.js';

/** A matrix that was read from a file or the database. */
export interface SavedMatrix {
  contents: MatrixContents;
  /** The largest distance between a row and its codes, by the step of the codes when they were written. */
  errors: ReadonlyMap<number, number>;
}

/** Builds a matrix from rows in the order in which they are read. It is not searched. */
export class SavedMatrixBuilder {
  readonly dimensions: number;
  readonly #rows: VectorMatrix;
  readonly #errors = new Map<number, number>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#rows = new VectorMatrix(dimensions, plainScan);
  }

  /** Not a copy. */
  get matrix(): SavedMatrix {
    return { contents: this.#rows.contents, errors: this.#errors };
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Makes room for `rows` more rows at once. */
  reserve(rows: number): void {
    this.#rows.reserve(rows);
  }

  /** Makes room for the codes of the next `rows` rows. Returns the buffers into which they can be read before they are loaded. */
  roomFor(rows: number): Int8Array[] {
    return this.#rows.roomFor(rows);
  }

  /** Adds a row or replaces the row with this seq. Copies the codes. */
  put(row: Row, vector: QuantizedVector): void {
    this.#note(vector);
    this.#rows.put(row, vector);
  }

  /** Adds rows, or replaces those with the same seqs. */
  load(rows: SavedRows): void {
    this.#note(rows);
    if (this.#hasSome(rows.seqs)) this.#putEach(rows);
    else this.#rows.append(rows);
  }

  remove(seqs: Iterable<number>): void {
    for (const seq of seqs) this.#rows.remove(seq);
  }

  #note({ step, error }: Pick<QuantizedVector, 'step' | 'error'>): void {
    this.#errors.set(step, Math.max(error, this.#errors.get(step) ?? 0));
  }

  #hasSome(seqs: Float64Array): boolean {
    // An iterator takes several times as long.
    for (let row = 0; row < seqs.length; row += 1) if (this.#rows.has(seqs[row] as number)) return true;
    return false;
  }

  #putEach({ seqs, createdAts, codes, step }: SavedRows): void {
    for (const [row, seq] of seqs.entries()) {
      const own = codes.subarray(row * this.dimensions, (row + 1) * this.dimensions);
      this.#rows.put({ seq, createdAt: createdAts[row] as number }, { codes: own, step });
    }
  }
}
