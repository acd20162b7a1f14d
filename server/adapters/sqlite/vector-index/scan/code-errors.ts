/**
 * Upper bounds of the distance between rows and their codes, proved from the
 * roundings that the codes went through. No rounding is taken to be
 * independent of another: those of a text and of a query for it are the same.
 */
export class CodeErrors {
  readonly #halfDiagonal: number;
  /** The largest error of a row that was put with codes of a step, by step. */
  readonly #put = new Map<number, number>();

  constructor(dimensions: number) {
    this.#halfDiagonal = Math.sqrt(dimensions) / 2;
  }

  add(step: number, error: number): void {
    if (error > (this.#put.get(step) ?? -1)) this.#put.set(step, error);
  }

  /**
   * The bound of rows whose codes have this step or a finer one. Codes only get
   * coarser, and only to the step of another row; rounding them to it moves
   * each component by at most half of it.
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
