/** A scan took more steps than any text needs. */
export class ScanEffortError extends Error {
  override name = 'ScanEffortError';
}

/** More than the worst text takes; a rule that looks back and forth without bound soon passes it. */
const STEPS_PER_CHARACTER = 64;
const STEPS_BESIDES = 1_024;

/** Counts the characters that a scan looks at, so that no text can hold up the process: the scan is linear or fails. */
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
