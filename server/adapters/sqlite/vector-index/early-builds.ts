/**
 * Builds indexes before their first search, in the order of the first writes. Only one at a time: a search that needs another
 * one would wait for all of them.
 */
export class EarlyBuilds {
  readonly #build: (org: number) => Promise<void> | undefined;
  readonly #waiting = new Set<number>();
  #isBuilding = false;
  #isStopped = false;

  /** @param build returns undefined if no index is to be built any more */
  constructor(build: (org: number) => Promise<void> | undefined) {
    this.#build = build;
  }

  add(org: number): void {
    if (this.#isStopped) return;
    this.#waiting.add(org);
    if (!this.#isBuilding) void this.#buildAll();
  }

  /** Begins no further build. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.clear();
  }

  async #buildAll(): Promise<void> {
    this.#isBuilding = true;
    for (const org of this.#waiting) {
      this.#waiting.delete(org);
      try {
        await this.#build(org);
      } catch {
        // The first search builds it, and meets the same fault.
      }
    }
    this.#isBuilding = false;
  }
}
