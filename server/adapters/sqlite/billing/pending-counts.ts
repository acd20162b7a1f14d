/** Counts in memory that the next commit writes. They survive a commit that fails. */
export class PendingCounts<Place> {
  /** Counts that are in no transaction yet. */
  #waiting = new Map<string, { place: Place; count: number }>();
  /** Counts in the open transaction. */
  #written = new Map<string, { place: Place; count: number }>();

  /** @param key identifies the place */
  add(key: string, place: Place, count: number): void {
    const known = this.#waiting.get(key);
    this.#waiting.set(key, { place, count: count + (known?.count ?? 0) });
  }

  /** Returns the count that no committed transaction contains. */
  of(key: string): number {
    return (this.#waiting.get(key)?.count ?? 0) + (this.#written.get(key)?.count ?? 0);
  }

  /** Returns the counts that wait. They count as written from now on. */
  take(): { place: Place; count: number }[] {
    this.#written = this.#waiting;
    this.#waiting = new Map();
    return [...this.#written.values()];
  }

  /** Returns the places that have counts. */
  places(): Place[] {
    return [...this.#written.values(), ...this.#waiting.values()].map(({ place }) => place);
  }

  /** Drops the waiting counts of the places that match. */
  drop(matches: (place: Place) => boolean): void {
    for (const [key, { place }] of this.#waiting) if (matches(place)) this.#waiting.delete(key);
  }

  committed(): void {
    this.#written.clear();
  }

  /** Returns the written counts to those that wait, since nothing was written. */
  abandoned(): void {
    for (const [key, { place, count }] of this.#written) this.add(key, place, count);
    this.#written.clear();
  }
}
