import type { Metrics } from '../../ports/metrics.js';
import type { Middleware } from '../request/context.js';
import { onAnswerEnd } from '../request/turns/answer-end.js';
import { finalStatus } from './final-status.js';

/** Counts each request by operation, and measures its duration when the answer ends. */
export function measureRequests(metrics: Pick<Metrics, 'request'>): Middleware {
  return (ctx, next) => {
    const start = performance.now();
    onAnswerEnd(ctx, () => metrics.request(ctx.state.operationId, finalStatus(ctx), performance.now() - start));
    return next();
  };
}
