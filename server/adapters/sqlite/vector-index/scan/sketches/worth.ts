/** The time of a first pass, and of a row that is copied to be compared, in that of scanning as many rows. */
const [FIRST_PASS_COST, COPY_COST] = [0.3, 3];
/** A search with sketches must cost less than this part of one without. */
const WORTH_BELOW = 0.9;
/** Weight of the last search. */
const LAST_WEIGHT = 0.2;
/** If sketches are not worth their cost, one of this many searches tries them. */
const TRIED_ONE_IN = 64;

/**
 * Decides if searches read sketches first. It is no use if most rows can be
 * among the best by their sketches, for example if all are nearly equal.
 */
export class Worth {
  #cost = FIRST_PASS_COST;
  #searches = 0;

  /** Reports if searches with sketches cost less than others. */
  get isGiven(): boolean {
    return this.#cost < WORTH_BELOW;
  }

  /** Reports if the next search should read sketches. */
  shouldTry(): boolean {
    this.#searches += 1;
    return this.isGiven || this.#searches % TRIED_ONE_IN === 0;
  }

  /**
   * Learns from a search that read sketches.
   *
   * @param rows number of rows with sketches
   * @param copied number of those that were copied
   * @param scanned number of those that were scanned again
   */
  learn(rows: number, copied: number, scanned: number): void {
    if (rows === 0) return;
    const cost = FIRST_PASS_COST + (COPY_COST * copied + scanned) / rows;
    this.#cost += LAST_WEIGHT * (cost - this.#cost);
  }
}
