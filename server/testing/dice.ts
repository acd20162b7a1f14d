import { unitVector } from './memories.js';
import { seededRandom } from './random-text.js';

/** Decisions that are the same for the same seed. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from 0 on. */
  below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error('there is nothing to pick from');
    return from[this.below(from.length)] as T;
  }

  /** One of the names, as often as their weights say. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[];
    let left = this.below(names.reduce((sum, name) => sum + weights[name], 0));
    const chosen = names.find((name) => {
      left -= weights[name];
      return left < 0;
    });
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  /** Of length 1, in any direction. */
  vector(): Float32Array {
    return unitVector(Array.from({ length: 8 }, () => this.#random() - 0.5));
  }
}
