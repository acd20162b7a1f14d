import type { IncomingHttpHeaders } from 'node:http';
import type { Origin } from '../../../domain/account/caller.js';
import { type AddressRange, clientAddress } from '../../../domain/account/client-address.js';
import type { Context, Middleware } from '../context.js';

const MAX_USER_AGENT_LENGTH = 256;

/**
 * Determines the client address of each request, once.
 *
 * @param trustedProxies proxies whose forwarded addresses are believed
 */
export function locateClients(trustedProxies: readonly AddressRange[]): Middleware {
  return (ctx, next) => {
    const { headers, socket } = ctx.req;
    const ip = clientAddress(trustedProxies, socket.remoteAddress, asList(headers['x-forwarded-for']));
    if (ip !== undefined) ctx.state.ip = ip;
    return next();
  };
}

/** Returns the origin of a request, as audit events record it. */
export function originOf({ req, state }: Context): Origin {
  const userAgent = req.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  const origin: Origin = { requestId: state.requestId };
  if (state.ip !== undefined) origin.ip = state.ip;
  if (userAgent !== undefined) origin.userAgent = userAgent;
  return origin;
}

/** Reports if a proxy forwarded a request, trusted or not. The peer of the connection is then not the sender. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}

/** Joins repeated headers, which are one list. */
function asList(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
