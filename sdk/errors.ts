import type { ErrorDetail } from './generated/types.gen.js';

/** What an answer of the service with a status of 400 or more says. */
export interface ApiFailure {
  status: number;
  message: string;
  code?: string;
  details: readonly ErrorDetail[];
  requestId?: string;
  retryAfter?: number;
  deletedMemoryId?: string;
  body: unknown;
}

/** The service refused a request, or could not serve it. There is a subclass for each status that the contract lists. */
export class MemoryApiError extends Error {
  override name: string = 'MemoryApiError';
  readonly status: number;
  /** The contract's word for the reason, such as `validation_failed`. The 404 of a memory has none. */
  readonly code: string | undefined;
  /** The fields in question. */
  readonly details: readonly ErrorDetail[];
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | undefined;
  /** The whole body: parsed if it is JSON, else its text. */
  readonly body: unknown;

  constructor({ status, message, code, details, requestId, retryAfter, body }: ApiFailure) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

/** 400: the body is not JSON. */
export class BadRequestError extends MemoryApiError {
  override name = 'BadRequestError';
}

/** 401: no valid access token. */
export class UnauthenticatedError extends MemoryApiError {
  override name = 'UnauthenticatedError';
}

/** 402: writing needs a subscription. */
export class EntitlementRequiredError extends MemoryApiError {
  override name = 'EntitlementRequiredError';
}

/** 403: not in this organization, or not with this token. */
export class ForbiddenError extends MemoryApiError {
  override name = 'ForbiddenError';
}

/** 404: no such memory. */
export class NotFoundError extends MemoryApiError {
  override name = 'NotFoundError';
  /** The deleted memory that has the external key of an upsert. `restore` brings it back, `purge` frees its key. */
  readonly deletedMemoryId: string | undefined;

  constructor(failure: ApiFailure) {
    super(failure);
    this.deletedMemoryId = failure.deletedMemoryId;
  }
}

/** 409: another memory is in the way, or subject keys are in use. */
export class ConflictError extends MemoryApiError {
  override name = 'ConflictError';

  /** The memory in the way. */
  get id(): string | undefined {
    return textMember(this.body, 'id');
  }

  /** How many memories the filter matches; present with code `count_mismatch`. */
  get count(): number | undefined {
    const count = member(this.body, 'count');
    return typeof count === 'number' ? count : undefined;
  }
}

/** 413: the body is too long, or the batch has too many items. */
export class PayloadTooLargeError extends MemoryApiError {
  override name = 'PayloadTooLargeError';

  /** The largest number of bytes or items that the service takes. */
  get max(): number | undefined {
    const max = member(this.body, 'max');
    return typeof max === 'number' ? max : undefined;
  }
}

/** 415: the body is not sent as JSON. */
export class UnsupportedMediaTypeError extends MemoryApiError {
  override name = 'UnsupportedMediaTypeError';
}

/** 422: something in the request breaks a rule; `details` tells what. */
export class UnprocessableError extends MemoryApiError {
  override name = 'UnprocessableError';
}

/** 429: the requests of the minute (`retryAfter`) or of the month (`resetsAt`) are used up. */
export class RateLimitedError extends MemoryApiError {
  override name = 'RateLimitedError';

  /** When the monthly count starts anew, ISO 8601; present with code `quota_exceeded`. */
  get resetsAt(): string | undefined {
    return textMember(this.body, 'resetsAt');
  }
}

/** 503: the store or the embedding provider does not answer, or the service is overloaded. */
export class UnavailableError extends MemoryApiError {
  override name = 'UnavailableError';
}

/** No answer came, or it broke off, or it is not one of this service. `cause` holds the reason. */
export class MemoryConnectionError extends Error {
  override name: string = 'MemoryConnectionError';
}

/** No whole answer came in the time that the call has. */
export class MemoryTimeoutError extends MemoryConnectionError {
  override name = 'MemoryTimeoutError';
}

/** What came is not an answer of this service, but of something on the way. */
export class UnreadableAnswerError extends MemoryConnectionError {
  override name = 'UnreadableAnswerError';
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

const BY_STATUS: ReadonlyMap<number, new (failure: ApiFailure) => MemoryApiError> = new Map([
  [400, BadRequestError],
  [401, UnauthenticatedError],
  [402, EntitlementRequiredError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [409, ConflictError],
  [413, PayloadTooLargeError],
  [415, UnsupportedMediaTypeError],
  [422, UnprocessableError],
  [429, RateLimitedError],
  [503, UnavailableError],
]);

/** The error for an answer that is not a success; `text` is its body. */
export function toApiError({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string): MemoryApiError {
  const body = parseOrKeep(text);
  const details = member(body, 'details');
  const code = textMember(body, 'code');
  const requestId = headers.get('X-Request-Id') ?? textMember(body, 'requestId');
  const retryAfter = secondsToWait(headers.get('Retry-After'));
  const deletedMemoryId = headers.get('X-Deleted-Memory-Id');
  const ErrorOfStatus = BY_STATUS.get(status) ?? MemoryApiError;
  return new ErrorOfStatus({
    status,
    message: textMember(body, 'error') ?? `the service answered ${status}`,
    details: Array.isArray(details) ? details : [],
    body,
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(deletedMemoryId !== null && { deletedMemoryId }),
  });
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A header of seconds, or of the time to wait for, which is what something on the way may send. */
function secondsToWait(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const until = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - Date.now()) / 1_000));
}

function textMember(body: unknown, name: string): string | undefined {
  const value = member(body, name);
  return typeof value === 'string' ? value : undefined;
}

function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}
