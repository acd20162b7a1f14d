import type { Tracing } from '../../ports/tracing.js';
import type { Middleware } from '../request/context.js';
import { onAnswerEnd } from '../request/turns/answer-end.js';
import { finalStatus } from './final-status.js';

/** Reports each request as a span, which ends with the answer. */
export function traceRequests(tracing: Tracing): Middleware {
  return (ctx, next) => {
    const span = tracing.begin({
      kind: 'request',
      name: ctx.method,
      attributes: { 'http.request.method': ctx.method, 'memory_service.request_id': ctx.state.requestId },
      headers: ctx.req.headers,
    });
    onAnswerEnd(ctx, () => {
      const { operationId, code } = ctx.state;
      const status = finalStatus(ctx);
      span.end({
        ...(operationId && { name: `${ctx.method} ${operationId}` }),
        attributes: {
          'http.response.status_code': status,
          ...(operationId && { 'memory_service.operation': operationId }),
        },
        ...(status >= 500 && { errorType: code ?? String(status) }),
      });
    });
    return span.run(next);
  };
}
