import type { LogFields, Logger } from '../../logger.js';
import type { Context, Middleware } from '../request/context.js';
import { onAnswerEnd } from '../request/turns/answer-end.js';
import { ABANDONED, finalStatus } from './final-status.js';

/** Codes of the operating system, the HTTP parser and streams after the peer disconnected. */
const CONNECTION_FAULT = /^(?:E[A-Z]+|HPE_\w+|ERR_STREAM_\w+|ERR_HTTP_\w+)$/;

/** Logs one line per request, when its answer ends. */
export function logRequests(logger: Logger): Middleware {
  return (ctx, next) => {
    const start = performance.now();
    onAnswerEnd(ctx, () => write(logger, ctx, performance.now() - start));
    return next();
  };
}

/** Returns a logger of failures after an answer began. It ignores broken connections. */
export function logUnanswered(logger: Logger): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!CONNECTION_FAULT.test(error.code ?? '')) logger.error({ err: error }, 'an answer was cut off');
  };
}

function write(logger: Logger, ctx: Context, durationMs: number): void {
  const { requestId, operationId, organizationId, credentialId, code, failure } = ctx.state;
  const status = finalStatus(ctx);
  const fields: LogFields = {
    method: ctx.method,
    status,
    durationMs: Math.round(durationMs * 100) / 100,
    requestId,
    ...(operationId !== undefined && { operationId }),
    ...(organizationId !== undefined && { organizationId }),
    ...(credentialId !== undefined && { credentialId }),
    ...(code !== undefined && { code }),
    ...(failure !== undefined && { err: failure }),
  };
  if (code === 'internal_error') logger.error(fields, 'request failed');
  else if (status === ABANDONED) logger.info(fields, 'request abandoned');
  else if (status >= 500) logger.warn(fields, 'request rejected');
  else logger.info(fields, 'request');
}
