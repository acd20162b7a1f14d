import type { Context } from '../request/context.js';

/** Status that other servers log if a caller left before its answer was complete; never sent. */
export const ABANDONED = 499;

/**
 * Returns the status of a closed answer, for logs and metrics. Node.js also reports an answer as finished if its
 * connection broke during the last bytes. After a complete answer the connection still exists.
 */
export function finalStatus({ req, res }: Pick<Context, 'req' | 'res'>): number {
  return res.writableFinished && !req.socket.destroyed ? res.statusCode : ABANDONED;
}
