import { addressBlock } from '../../../domain/account/client-address.js';
import { WaitingLine } from '../../../domain/fairness/waiting-line.js';
import { InProcessRequest } from '../caller/in-process.js';
import type { Middleware } from '../context.js';

/** Requests that start in one turn of the event loop: some milliseconds of work. */
export const MAX_STARTS = 16;

interface Start {
  begin: () => void;
  reject: (error: unknown) => void;
}

/**
 * Starts a bounded number of requests in one turn of the event loop, since many connections may send one at the same
 * time. The others wait for the next turns, and addresses take turns. So a burst holds up neither the requests that are
 * under way nor those of other addresses. Parts of a request that is counted already start immediately.
 */
export function startInTurn(): Middleware {
  const waiting = new WaitingLine<Start>('starts', {});
  let started = 0;
  const nextTurn = () => {
    started = 0;
    for (let start = waiting.shift(); start; start = waiting.shift()) {
      count();
      start.begin();
      if (started >= MAX_STARTS) return;
    }
  };
  const count = () => {
    if (started === 0) setImmediate(nextTurn);
    started += 1;
  };
  return (ctx, next) => {
    if (ctx.req instanceof InProcessRequest) return next();
    if (started < MAX_STARTS) {
      count();
      return next();
    }
    const owner = { kind: 'address', id: addressBlock(ctx.state.ip ?? 'unknown') };
    return new Promise<void>((begin, reject) => waiting.push([owner], { begin, reject })).then(next);
  };
}
