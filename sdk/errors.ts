import type { errorCodeValues } from './generated/constants.gen.js';
import type { ErrorDetail } from './generated/types.gen.js';

/** An error code of the contract. A newer service may have others. */
export type ErrorCode = (typeof errorCodeValues)[number] | (string & {});

/** The contents of a response with a status of 400 or more. */
export interface ApiFailure {
  status: number;
  message: string;
  code?: ErrorCode;
  details: readonly ErrorDetail[];
  requestId?: string;
  retryAfter?: number;
  deletedMemoryId?: string;
  headers?: Headers;
  body: unknown;
}

/** The service returned a status of 400 or more. Each status that the contract lists has a subclass. */
export class MemoryApiError extends Error {
  override name: string = 'MemoryApiError';
  readonly status: number;
  /** The error code of the contract, such as `validation_failed`. The 404 of a memory has none. */
  readonly code: ErrorCode | undefined;
  /** The invalid fields, with a message for each. */
  readonly details: readonly ErrorDetail[];
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** The headers of the response. */
  readonly headers: Headers | undefined;
  /** The whole body: parsed if it is JSON, otherwise its text. */
  readonly body: unknown;

  constructor({ status, message, code, details, requestId, retryAfter, headers, body }: ApiFailure) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.headers = headers;
    this.body = body;
  }
}

/** 400: the body is not JSON. */
export class BadRequestError extends MemoryApiError {
  override name = 'BadRequestError';
}

/** 401: the token or session is missing or not valid. */
export class UnauthenticatedError extends MemoryApiError {
  override name = 'UnauthenticatedError';
}

/** 402: writing requires a subscription. */
export class EntitlementRequiredError extends MemoryApiError {
  override name = 'EntitlementRequiredError';
}

/** 403: the organization or the token does not permit this. */
export class ForbiddenError extends MemoryApiError {
  override name = 'ForbiddenError';
}

/** 404: the memory or other resource does not exist. */
export class NotFoundError extends MemoryApiError {
  override name = 'NotFoundError';
  /** The id of the deleted memory that has the external key of an upsert: `restore` it, or `purge` it to free the key. */
  readonly deletedMemoryId: string | undefined;

  constructor(failure: ApiFailure) {
    super(failure);
    this.deletedMemoryId = failure.deletedMemoryId;
  }
}

/** 409: the request conflicts with the current state, for example with another memory. */
export class ConflictError extends MemoryApiError {
  override name = 'ConflictError';

  /** The id of the conflicting memory. */
  get id(): string | undefined {
    return textMember(this.body, 'id');
  }

  /** The number of memories that the filter matches. Present with code `count_mismatch`. */
  get count(): number | undefined {
    const count = member(this.body, 'count');
    return typeof count === 'number' ? count : undefined;
  }
}

/** 413: the body is too large, or the batch has too many items. */
export class PayloadTooLargeError extends MemoryApiError {
  override name = 'PayloadTooLargeError';

  /** The largest number of bytes or items that the service accepts. */
  get max(): number | undefined {
    const max = member(this.body, 'max');
    return typeof max === 'number' ? max : undefined;
  }
}

/** 415: the body is not sent as JSON. */
export class UnsupportedMediaTypeError extends MemoryApiError {
  override name = 'UnsupportedMediaTypeError';
}

/** 422: the request is not valid; `details` lists the fields. */
export class UnprocessableError extends MemoryApiError {
  override name = 'UnprocessableError';
}

/** 429: the rate limit (`retryAfter`), the monthly cap (`resetsAt`) or the storage (`storageBytes`) is used up. */
export class RateLimitedError extends MemoryApiError {
  override name = 'RateLimitedError';

  /** The time when the monthly cap resets, ISO 8601. Present with code `quota_exceeded`, except for storage. */
  get resetsAt(): string | undefined {
    return textMember(this.body, 'resetsAt');
  }

  /** The storage of the plan. Present with code `quota_exceeded` if the write would exceed it. */
  get storageBytes(): number | undefined {
    const storageBytes = member(this.body, 'storageBytes');
    return typeof storageBytes === 'number' ? storageBytes : undefined;
  }
}

/** 503: the store or the embedding provider does not respond, or the service is overloaded. */
export class UnavailableError extends MemoryApiError {
  override name = 'UnavailableError';
}

/** The response is missing, incomplete or not from this service. `cause` has the reason. */
export class MemoryConnectionError extends Error {
  override name: string = 'MemoryConnectionError';
}

/** The response was not complete within `timeoutMs`. */
export class MemoryTimeoutError extends MemoryConnectionError {
  override name = 'MemoryTimeoutError';
}

/** The response is not from this service, but for example from a proxy. */
export class UnreadableAnswerError extends MemoryConnectionError {
  override name = 'UnreadableAnswerError';
}

/** Creates the error of an id that does not exist. */
export function notFound(requestId?: string): NotFoundError {
  const error = 'Not found';
  return new NotFoundError({
    status: 404,
    message: error,
    details: [],
    body: { error },
    ...(requestId !== undefined && { requestId }),
  });
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

/** Creates the error for an unsuccessful response with the body `text`. */
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
    message: textMember(body, 'error') ?? `the service returned status ${status}`,
    details: Array.isArray(details) ? details : [],
    body,
    headers,
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

/** Reads `Retry-After`: seconds, or the date that a proxy may send. */
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
