import type { VectorSearchTotals } from '../../../../ports/store.js';

/** Sums up what vector searches read and how long they took. */
export class SearchTotals {
  #searches = 0;
  #bytes = 0;
  #candidates = 0;
  #durationMs = 0;

  get current(): VectorSearchTotals {
    const [searches, bytes, candidates, durationMs] = [this.#searches, this.#bytes, this.#candidates, this.#durationMs];
    return { searches, bytes, candidates, durationMs };
  }

  /** Starts a search, which is counted at its disposal. */
  begin(): Disposable {
    const start = performance.now();
    return {
      [Symbol.dispose]: () => {
        this.#searches += 1;
        this.#durationMs += performance.now() - start;
      },
    };
  }

  /** Counts bytes of codes and sketches that were compared. */
  addScanned(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Counts a stored vector that was read. */
  addCandidate(bytes: number): void {
    this.#candidates += 1;
    this.#bytes += bytes;
  }
}
