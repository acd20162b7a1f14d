import type { Origin } from '../domain/caller.js';
import type { Context } from './context.js';

const MAX_USER_AGENT_LENGTH = 256;

/** Where a request came from, as audit events tell it. */
export function originOf({ req, state }: Context): Origin {
  const { headers, socket } = req;
  return {
    requestId: state.requestId,
    ...(socket.remoteAddress !== undefined && { ip: socket.remoteAddress }),
    ...(headers['user-agent'] !== undefined && { userAgent: headers['user-agent'].slice(0, MAX_USER_AGENT_LENGTH) }),
  };
}
