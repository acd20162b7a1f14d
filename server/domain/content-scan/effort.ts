/** A scan took more steps than any text needs. */
export class ScanEffortError extends Error {
  override name = 'ScanEffortError';
}

/** More steps than any text needs. A rule that is not linear exceeds this soon. */
const STEPS_PER_CHARACTER = 64;
const STEPS_BESIDES = 1_024;

/** Counts the characters that a scan reads, and fails if there are too many. Every scan therefore takes linear time. */
export class Effort {
  readonly #most: number;
  steps = 0;

  /** @param characters UTF-16 code units of the text */
  constructor(characters: number) {
    this.#most = STEPS_BESIDES + STEPS_PER_CHARACTER * characters;
  }

  /** @throws {ScanEffortError} */
  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > this.#most) throw new ScanEffortError('The content scan took too many steps');
  }
}
