import { refusal } from '../../domain/fairness/bounds.js';
import { ShareExceededError } from '../../domain/fairness/owner.js';
import { organizationForbidden, ServiceError, UnavailableError } from '../../errors.js';
import { EmbeddingUnavailableError } from '../../ports/embedder.js';
import { LostWorkError } from '../../ports/lost-work-error.js';
import { OrganizationGoneError, SearchUnavailableError, StoreUnavailableError } from '../../ports/store-errors.js';
import { BodyTimeoutError, ClientGoneError } from '../request/body/collect-body.js';
import type { Context, Middleware } from '../request/context.js';
import { lingering } from '../request/turns/lingering.js';

const STORE_RETRY_AFTER_SECONDS = 5;
const SEARCH_RETRY_AFTER_SECONDS = 30;
/** A thread starts again with the next order. */
const LOST_WORK_RETRY_AFTER_SECONDS = 1;
const JSON_TYPE = 'application/json';

/** Turns every failure into an answer. */
export function writeErrors(): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof ClientGoneError) {
        ctx.res.destroy();
        return;
      }
      if (error instanceof BodyTimeoutError) {
        writeTimeout(ctx);
        return;
      }
      write(ctx, toServiceError(error));
    }
  };
}

/** Answers like the HTTP server does if a request does not arrive in time. */
function writeTimeout(ctx: Context): void {
  ctx.body = '';
  ctx.status = 408;
  ctx.remove('Content-Type');
  ctx.set('Connection', 'close');
}

function write(ctx: Context, error: ServiceError): void {
  ctx.status = error.status;
  ctx.set({ ...error.headers, 'Content-Type': JSON_TYPE });
  const text = JSON.stringify(toBody(error, ctx.state.requestId));
  ctx.body = leavesBody(ctx, error) ? lingering(ctx.req, text) : text;
  ctx.length = Buffer.byteLength(text);

  if (error.code !== undefined) ctx.state.code = error.code;
  if (error.cause !== undefined) ctx.state.failure = error.cause;
}

/** Reports if the caller may still be sending a body that nobody reads. */
function leavesBody({ req }: Context, { code }: ServiceError): boolean {
  if (code === 'payload_too_large') return true;
  const isRead = req.complete && req.readableLength === 0;
  return req.readableDidRead && !req.readableEnded && !isRead;
}

function toBody({ message, code, extra, status }: ServiceError, requestId: string): object {
  return { error: message, ...(code !== undefined && { code }), ...extra, ...(status === 500 && { requestId }) };
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof ShareExceededError) {
    const { message, retryAfterSeconds } = refusal(error);
    return new UnavailableError(message, retryAfterSeconds);
  }
  // The organization was deleted during the request.
  if (error instanceof OrganizationGoneError) return organizationForbidden();
  if (error instanceof SearchUnavailableError) {
    return new UnavailableError(error.message, SEARCH_RETRY_AFTER_SECONDS, error);
  }
  if (error instanceof StoreUnavailableError) {
    return new UnavailableError('The store is unavailable: try again', STORE_RETRY_AFTER_SECONDS, error);
  }
  if (error instanceof EmbeddingUnavailableError) {
    return new UnavailableError('Content cannot be embedded now: try again', error.retryAfterSeconds, error);
  }
  if (error instanceof LostWorkError) {
    return new UnavailableError(
      'The service lost this work, so nothing was stored: try again',
      LOST_WORK_RETRY_AFTER_SECONDS,
      error,
    );
  }
  return new InternalError(error);
}

/** An unexpected error. Its message reveals nothing; the log has the cause under the same request id. */
class InternalError extends ServiceError {
  override name = 'InternalError';
  readonly status = 500;
  override readonly code = 'internal_error';

  constructor(cause: unknown) {
    super('Internal error', { cause });
  }
}
