import { compile, Kernel } from '../../../../wasm/kernel.js';
import { columnsFunction } from './column-code.js';

interface ColumnFunctions {
  /**
   * Computes the products of a query with rows of a block.
   *
   * @param rows a multiple of 64
   * @param columns see `MatrixColumns`
   * @param query see `writeColumnQuery`
   * @param products receives them as floats. All must be 0 before
   * @param largest receives the largest product of each 16 rows
   */
  columns(rows: number, columns: number, query: number, products: number, largest: number): void;
}

/** Memory of columns, and a function on it. */
export class ColumnKernel extends Kernel<ColumnFunctions> {}

let compiled: { module: object | undefined } | undefined;

/** Compiles the function at the first call, in some milliseconds. Returns undefined if the platform cannot run it. */
export function newColumnKernel(): ColumnKernel | undefined {
  compiled ??= { module: compile([columnsFunction()]) };
  return compiled.module && new ColumnKernel(compiled.module);
}
