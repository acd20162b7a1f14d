import { DEADLINES } from '../../../domain/fairness/bounds.js';
import type { Context } from '../context.js';
import { hasEnded, onAnswerEnd } from './answer-end.js';

type Exchange = Pick<Context, 'req' | 'res'>;

/**
 * Disconnects callers that do not read their answers. An answer that its connection takes at once needs no timers, and
 * nearly all do: the timers are set in the next turn of the event loop, for the answers that have not ended.
 */
export class AnswerDeadlines {
  #begun: Exchange[] = [];

  begin(exchange: Exchange): void {
    if (this.#begun.length === 0) setImmediate(() => this.#watch());
    this.#begun.push(exchange);
  }

  #watch(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const exchange of begun) if (!hasEnded(exchange)) setTimers(exchange);
  }
}

function setTimers(exchange: Exchange): void {
  const { req, res } = exchange;
  // The server destroys a socket that times out, and sets its own timeout after the answer.
  req.socket.setTimeout(DEADLINES.answerIdleMs);
  const deadline = setTimeout(() => res.destroy(), DEADLINES.answerMs);
  onAnswerEnd(exchange, () => clearTimeout(deadline));
}
