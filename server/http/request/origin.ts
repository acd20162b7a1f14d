import type { IncomingHttpHeaders } from 'node:http';
import type { Origin } from '../../domain/account/caller.js';
import { type AddressRange, clientAddress } from '../../domain/account/client-address.js';
import type { Context, Middleware } from './context.js';

const MAX_USER_AGENT_LENGTH = 256;

/**
 * Finds out where requests come from, once for each.
 *
 * @param trustedProxies who may say so for others
 */
export function locateClients(trustedProxies: readonly AddressRange[]): Middleware {
  return (ctx, next) => {
    const { headers, socket } = ctx.req;
    const ip = clientAddress(trustedProxies, socket.remoteAddress, asList(headers['x-forwarded-for']));
    if (ip !== undefined) ctx.state.ip = ip;
    return next();
  };
}

/** Where a request came from, as audit events tell it. */
export function originOf({ req, state }: Context): Origin {
  const userAgent = req.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  return {
    requestId: state.requestId,
    ...(state.ip !== undefined && { ip: state.ip }),
    ...(userAgent !== undefined && { userAgent }),
  };
}

/** Whether a proxy handed a request on, trusted or not: then its connection says nothing of who sent it. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}

/** Several lines of a header are one list. */
function asList(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
