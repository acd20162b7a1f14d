import type { Middleware } from '../request/context.js';
import type { RequestShares } from '../request/turns/request-shares.js';

/** Counts the bytes of each answer until its caller has read them. */
export function boundAnswers(shares: RequestShares): Middleware {
  return async (ctx, next) => {
    await next();
    shares.send(ctx, ctx.length ?? 0);
  };
}
