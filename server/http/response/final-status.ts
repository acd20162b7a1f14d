import type { Context } from '../request/context.js';

/** What other servers report for a caller that left before its answer was complete; never sent. */
export const ABANDONED = 499;

/**
 * Status of a closed answer, for logs and metrics. Node.js reports an answer as finished also when its connection broke
 * while the last bytes were written; after a whole answer the connection is still there.
 */
export function finalStatus({ req, res }: Pick<Context, 'req' | 'res'>): number {
  return res.writableFinished && !req.socket.destroyed ? res.statusCode : ABANDONED;
}
