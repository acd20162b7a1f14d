import type { Lifecycle } from '../contract/route.js';
import { asOne } from '../request/address/header.js';
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
    const { res } = ctx;
    res.setHeader('X-Request-Id', ctx.state.requestId);
    res.setHeader('X-Service-Version', version);
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    // Moves kept-alive clients to other processes, so that the shutdown need not wait for them.
    if (lifecycle.stopping) res.setHeader('Connection', 'close');
    return next();
  };
}

function readRequestId(ctx: Context): string | undefined {
  const given = asOne(ctx.req.headers['x-request-id']);
  return given !== undefined && CALLERS_OWN_ID.test(given) ? given : undefined;
}
