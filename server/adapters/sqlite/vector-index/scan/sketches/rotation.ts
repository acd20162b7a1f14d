import type { SketchKernel } from './kernel.js';

/**
 * A random rotation of vectors: random signs, then a Hadamard matrix, which mixes all components, twice. If the number
 * of dimensions is no power of two, the first and the last components are mixed in turn.
 */
export class Rotation {
  readonly #kernel: SketchKernel;
  readonly #length: number;
  /** Address of the signs of each round, and the byte at which its part of the vector starts. */
  readonly #rounds: readonly { signs: number; start: number }[];

  constructor(kernel: SketchKernel, dimensions: number) {
    this.#kernel = kernel;
    this.#length = 2 ** Math.floor(Math.log2(dimensions));
    const last = 4 * (dimensions - this.#length);
    this.#rounds = (last === 0 ? [0, 0] : [0, last, 0, last]).map((start) => ({ signs: this.#randomSigns(), start }));
  }

  /** Rotates a vector of floats in place. */
  apply(vector: number): void {
    for (const { signs, start } of this.#rounds) this.#kernel.functions.mix(vector + start, signs, this.#length);
  }

  #randomSigns(): number {
    const signs = this.#kernel.allocate(4 * this.#length);
    const size = 1 / Math.sqrt(this.#length);
    // Signs that nobody can know: otherwise vectors could be made whose estimates are wrong.
    const values = Float32Array.from({ length: this.#length }, () => (Math.random() < 0.5 ? -size : size));
    this.#kernel.floats(signs, this.#length).set(values);
    return signs;
  }
}
