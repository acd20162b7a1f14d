import type { Expected } from '../../ports/unit-of-work.js';

/** A unit was left out of a transaction that ended before its turn. The unit runs again in a later one. */
class NoTurnError extends Error {
  override name = 'NoTurnError';
}

/**
 * The turn of one unit of a transaction. Its work begins before its turn, up to its first call: a work that begins with
 * `expect` declares its reads, so that one command can read for several units. Then it waits for its turn.
 */
export class Turn {
  /** Resolves with the reads that the unit declared. Resolves with undefined if it begins with another call. */
  readonly arrival: Promise<Expected | undefined>;
  #arrive: (expected: Expected | undefined) => void = () => {};
  #begin: () => void = () => {};
  #cancel: (error: Error) => void = () => {};
  readonly #begun: Promise<void>;

  constructor() {
    this.arrival = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.#begun = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#cancel = reject;
    });
    this.#begun.catch(() => {});
  }

  /** Resolves when the unit may read and write. */
  come(): Promise<void> {
    return this.declare(undefined);
  }

  /** Declares the reads of the unit, and resolves when they are read. */
  declare(expected: Expected | undefined): Promise<void> {
    this.#arrive(expected);
    return this.#begun;
  }

  begin(): void {
    this.#begin();
  }

  /** Ends a unit that did not get a turn. */
  cancel(): void {
    this.#cancel(new NoTurnError());
  }
}

/**
 * Maximum number of reads that the units of a transaction declare together. One unit may declare more. Two full batches
 * share a transaction: it must end within the deadline of a write on a slow database too, or all of its units fail.
 */
const MAX_EXPECTED_READS = 100;

/** Reports if units with these declarations can share a transaction. */
export function canShare(all: readonly Expected[]): boolean {
  return all.length < 2 || readsOf(merged(all)) <= MAX_EXPECTED_READS;
}

export function isEmpty(expected: Expected): boolean {
  return readsOf(expected) === 0 && expected.period === undefined;
}

function readsOf({ writes = [], ids = [] }: Expected): number {
  return writes.length + ids.length;
}

export function merged(all: readonly Expected[]): Expected {
  const period = all.find((expected) => expected.period !== undefined)?.period;
  return {
    writes: all.flatMap(({ writes = [] }) => writes),
    ids: all.flatMap(({ ids = [] }) => ids),
    ...(period !== undefined && { period }),
  };
}
