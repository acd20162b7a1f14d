/** Keeps the highest of many scores. */
export class Highest {
  readonly #limit: number;
  /** Highest first. */
  readonly #scores: number[] = [];

  /** @param limit number of scores that it keeps */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lowest of the scores that it keeps; -Infinity until there are `limit`. */
  get lowest(): number {
    return this.#scores[this.#limit - 1] ?? Number.NEGATIVE_INFINITY;
  }

  add(score: number): void {
    if (score <= this.lowest) return;
    let at = this.#scores.length;
    while (at > 0 && score > (this.#scores[at - 1] as number)) at -= 1;
    this.#scores.splice(at, 0, score);
    if (this.#scores.length > this.#limit) this.#scores.pop();
  }
}
