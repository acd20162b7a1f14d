import type { Lifecycle } from '../contract/route.js';
import type { Context, Middleware } from '../request/context.js';

const CALLERS_OWN_ID = /^[\w-]{1,64}$/;

interface EnvelopeOptions {
  version: string;
  newId: () => string;
  lifecycle: Lifecycle;
}

/** Sets the request id and the headers that every answer has. */
export function envelope({ version, newId, lifecycle }: EnvelopeOptions): Middleware {
  return (ctx, next) => {
    ctx.state.requestId = readRequestId(ctx) ?? newId();
    ctx.set({
      'X-Request-Id': ctx.state.requestId,
      'X-Service-Version': version,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    // Moves kept-alive clients to other processes, so that the shutdown need not wait for them.
    if (lifecycle.stopping) ctx.set('Connection', 'close');
    return next();
  };
}

function readRequestId(ctx: Context): string | undefined {
  const given = ctx.get('X-Request-Id');
  return CALLERS_OWN_ID.test(given) ? given : undefined;
}
