import { eventLoop } from '../../../domain/fairness/event-loop.js';

/** Number of rows deleted without a pause: takes a few milliseconds. */
const MAX_DELETED_ROWS = 500;

/** Longest time of a turn, with everything else in it. The piece that exceeds it is added. */
const MAX_TURN_MS = 4;

/** Longest work before a piece that takes long itself. A write of one memory takes less. */
const MAX_BEFORE_LONG_MS = 2;

/** Gives turns of the event loop to requests, timers and sockets during long work. All that exist share its turns. */
export class Yielder {
  readonly #maxTurnMs: number;
  #last: Promise<void> = Promise.resolve();

  /** @param maxTurnMs time of a turn of the event loop after which others get one */
  constructor(maxTurnMs = MAX_TURN_MS) {
    this.#maxTurnMs = maxTurnMs;
  }

  /**
   * Resolves when the caller may do its next piece of work, which must begin at
   * once. Several callers proceed one after the other, each after the piece of
   * the one before it, and in a later turn if that took long.
   */
  breathe(): Promise<void> {
    this.#last = this.#last.then(() => this.#wait());
    return this.#last;
  }

  /** Resolves when a piece that takes long may begin, such as a commit: at once, unless this turn took some time already. */
  async rest(): Promise<void> {
    if (eventLoop.elapsed() >= MAX_BEFORE_LONG_MS) await eventLoop.nextTurn();
  }

  /** Deletes rows until none are left. @param remove deletes at most `limit` rows and returns their number */
  async deleteMany(remove: (limit: number) => number): Promise<void> {
    while (remove(MAX_DELETED_ROWS) === MAX_DELETED_ROWS) await this.breathe();
  }

  async #wait(): Promise<void> {
    if (eventLoop.elapsed() >= this.#maxTurnMs) await eventLoop.nextTurn();
  }
}
