import { compile, Kernel } from '../../wasm/kernel.js';
import { GROUP_BYTES, GROUP_DIMENSIONS, sumRowsFunction } from './row-sums-code.js';

/** The code of a component that is 0. */
const ZERO = 8;
/** Number of rows that the functions add together. */
const ROWS_TOGETHER = 512;

/** Adds up rows of codes of four bits, two dimensions to a byte. All sums are those of doubles in the order of the rows. */
export interface RowSums {
  /** Adds a row, each component times `factor`. */
  add(row: number, factor: number): void;
  /** Returns the first dimensions of the sum, and starts a new one. */
  take(dimensions: number): Float64Array;
}

/** Functions on the memory of a kernel. Addresses are in bytes. */
export interface RowSumFunctions {
  /**
   * @param rows addresses of the rows, of four bytes each
   * @param factors doubles, one for each row
   * @param count number of rows, at least 1
   * @param sums doubles, to which the rows are added
   * @param groups number of groups of 16 dimensions
   */
  sumRows(rows: number, factors: number, count: number, sums: number, groups: number): void;
}

/** @param codes of the rows, which it may keep */
export function rowSums(codes: Uint8Array, rowBytes: number): RowSums {
  const module = compile([sumRowsFunction()]);
  return module ? new KernelRowSums(module, codes, rowBytes) : new PlainRowSums(codes, rowBytes);
}

/** Uses WebAssembly, which takes a small part of the time. */
class KernelRowSums implements RowSums {
  readonly #kernel: Kernel<RowSumFunctions>;
  readonly #rowBytes: number;
  readonly #groups: number;
  readonly #addresses: { codes: number; rows: number; factors: number; sums: number };
  readonly #rows: Uint32Array;
  readonly #factors: Float64Array;
  readonly #sums: Float64Array;
  #count = 0;

  constructor(module: object, codes: Uint8Array, rowBytes: number) {
    this.#kernel = new Kernel(module);
    this.#rowBytes = rowBytes;
    this.#groups = Math.ceil(rowBytes / GROUP_BYTES);
    const dimensions = this.#groups * GROUP_DIMENSIONS;
    this.#addresses = {
      // The last group of the last row may end after the codes.
      codes: this.#kernel.allocate(codes.length + GROUP_BYTES),
      rows: this.#kernel.allocate(ROWS_TOGETHER * Uint32Array.BYTES_PER_ELEMENT),
      factors: this.#kernel.allocate(ROWS_TOGETHER * Float64Array.BYTES_PER_ELEMENT),
      sums: this.#kernel.allocate(dimensions * Float64Array.BYTES_PER_ELEMENT),
    };
    this.#kernel.bytes(this.#addresses.codes, codes.length).set(codes);
    this.#rows = this.#kernel.uint32s(this.#addresses.rows, ROWS_TOGETHER);
    this.#factors = this.#kernel.doubles(this.#addresses.factors, ROWS_TOGETHER);
    this.#sums = this.#kernel.doubles(this.#addresses.sums, dimensions);
  }

  add(row: number, factor: number): void {
    if (this.#count === ROWS_TOGETHER) this.#addRows();
    this.#rows[this.#count] = this.#addresses.codes + row * this.#rowBytes;
    this.#factors[this.#count] = factor;
    this.#count += 1;
  }

  take(dimensions: number): Float64Array {
    this.#addRows();
    const sum = this.#sums.slice(0, dimensions);
    this.#sums.fill(0);
    return sum;
  }

  #addRows(): void {
    if (this.#count === 0) return;
    const { rows, factors, sums } = this.#addresses;
    this.#kernel.functions.sumRows(rows, factors, this.#count, sums, this.#groups);
    this.#count = 0;
  }
}

/** Does the same without WebAssembly. */
export class PlainRowSums implements RowSums {
  readonly #codes: Uint8Array;
  readonly #rowBytes: number;
  readonly #sums: Float64Array;

  constructor(codes: Uint8Array, rowBytes: number) {
    this.#codes = codes;
    this.#rowBytes = rowBytes;
    this.#sums = new Float64Array(2 * rowBytes);
  }

  add(row: number, factor: number): void {
    const from = row * this.#rowBytes;
    const sums = this.#sums;
    for (let at = 0; at < this.#rowBytes; at += 1) {
      const codes = this.#codes[from + at] as number;
      (sums[2 * at] as number) += ((codes >> 4) - ZERO) * factor;
      (sums[2 * at + 1] as number) += ((codes & 0x0f) - ZERO) * factor;
    }
  }

  take(dimensions: number): Float64Array {
    const sum = this.#sums.slice(0, dimensions);
    this.#sums.fill(0);
    return sum;
  }
}
