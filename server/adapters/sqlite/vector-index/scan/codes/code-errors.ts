/**
 * Computes upper bounds of the distance between rows and their codes from the
 * roundings of the codes. It does not assume independent roundings: those of a
 * content and of an equal query are the same.
 */
export class CodeErrors {
  readonly #halfDiagonal: number;
  /** The largest error of the rows that were put with a step, by step. */
  readonly #put = new Map<number, number>();

  constructor(dimensions: number) {
    this.#halfDiagonal = Math.sqrt(dimensions) / 2;
  }

  add(step: number, error: number): void {
    if (error > (this.#put.get(step) ?? -1)) this.#put.set(step, error);
  }

  /**
   * Returns the bound for rows whose codes have this step or a finer one. Codes
   * only become coarser, and only to the step of another row. Rounding to that
   * step moves each component by at most half of it.
   */
  upTo(step = Number.POSITIVE_INFINITY): number {
    let bound = 0;
    let isFinest = true;
    for (const [each, error] of [...this.#put].sort(([a], [b]) => a - b)) {
      if (each > step) break;
      bound = isFinest ? error : Math.max(error, bound + this.#halfDiagonal * each);
      isFinest = false;
    }
    return bound;
  }
}
