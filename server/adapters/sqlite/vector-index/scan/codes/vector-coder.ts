/** Computes the codes of one vector after the other. */
export interface VectorCoder {
  /** Keeps a vector. Returns the size of its largest component. */
  load(vector: Float32Array): number;
  /**
   * Returns the codes of the kept vector, and the sum of the squares of their errors.
   *
   * @param step at least the size of the largest component divided by 127
   */
  codes(step: number): { codes: Int8Array; squares: number };
}

/** Numbers of this size are integers without room for a fraction. */
const ROUNDING = 1.5 * 2 ** 52;

/** Computes codes on any platform. */
export class PlainCoder implements VectorCoder {
  #vector: Float32Array = new Float32Array();

  load(vector: Float32Array): number {
    this.#vector = vector;
    let largest = 0;
    for (let index = 0; index < vector.length; index += 1) {
      const size = Math.abs(vector[index] as number);
      if (size > largest) largest = size;
    }
    return largest;
  }

  codes(step: number): { codes: Int8Array; squares: number } {
    const vector = this.#vector;
    const codes = new Int8Array(vector.length);
    const perStep = 1 / step;
    let squares = 0;
    for (let index = 0; index < vector.length; index += 1) {
      const component = vector[index] as number;
      // Adding and subtracting the number rounds to an integer, in less time than `Math.round`.
      const code = component * perStep + ROUNDING - ROUNDING;
      const error = component - code * step;
      codes[index] = code;
      squares += error * error;
    }
    return { codes, squares };
  }
}
