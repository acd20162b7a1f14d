import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Gone } from '../../../domain/account/caller.js';
import { ClientGoneError } from '../body/collect-body.js';
import type { Context } from '../context.js';

type Exchange = Pick<Context, 'req' | 'res'>;

/** Key of the listeners of an answer. A map of all answers would be more work for each of them. */
const LISTENERS = Symbol('listeners');

type Answer = ServerResponse & { [LISTENERS]?: (() => void)[] };

const open = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `listener` when the answer is sent or its connection is closed. Both are needed: an answer that waits behind
 * another one on its connection never closes.
 */
export function onAnswerEnd({ req, res }: Exchange, listener: () => void): void {
  const answer: Answer = res;
  if (answer[LISTENERS]) {
    answer[LISTENERS].push(listener);
    return;
  }
  const waiting = [listener];
  answer[LISTENERS] = waiting;
  const answers = openAnswers(req.socket);
  const end = () => {
    answers.delete(end);
    for (const each of waiting.splice(0)) each();
  };
  answers.add(end);
  res.once('close', end);
}

/** Reports if the answer is sent or its connection is closed, so that `onAnswerEnd` may be too late. */
export function hasEnded({ req, res }: Exchange): boolean {
  return res.closed || res.destroyed || req.socket.destroyed;
}

/** Returns a signal that aborts with a ClientGoneError if the caller leaves before it has the whole answer. */
export function goneSignal(exchange: Exchange): AbortSignal {
  const { res } = exchange;
  const gone = new AbortController();
  const leave = () => {
    if (!res.writableFinished) gone.abort(new ClientGoneError('the caller left before its answer'));
  };
  if (hasEnded(exchange)) leave();
  else onAnswerEnd(exchange, leave);
  return gone.signal;
}

/** The signal of a request, which is made when it is first read. */
export class GoneSignal implements Gone {
  readonly #exchange: Exchange;
  #signal: AbortSignal | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#exchange);
    return this.#signal;
  }
}

/** Adds one listener per connection, however many requests it carries. */
function openAnswers(socket: Socket): Set<() => void> {
  const known = open.get(socket);
  if (known) return known;
  const answers = new Set<() => void>();
  open.set(socket, answers);
  socket.once('close', () => {
    for (const end of answers) end();
  });
  return answers;
}
