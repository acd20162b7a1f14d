/** An invalid field of the request and the reason; never the value itself. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/**
 * A failure that the service reports to its caller.
 *
 * `status` and `code` are part of the contract (responses of openapi.yaml). `message` is safe to show to a caller. Any
 * other error becomes a 500 without details and is logged with its stack.
 */
export abstract class ServiceError extends Error {
  abstract readonly status: number;
  readonly code: string | undefined = undefined;
  readonly headers: Readonly<Record<string, string>> = {};
  /** Further members of the error body. */
  readonly extra: Readonly<Record<string, unknown>> = {};
}

export class BadRequestError extends ServiceError {
  override name = 'BadRequestError';
  readonly status = 400;
  override readonly code = 'invalid_json';
}

export class UnauthenticatedError extends ServiceError {
  override name = 'UnauthenticatedError';
  readonly status = 401;
  override readonly code = 'unauthenticated';
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };

  // The message is the same for missing, malformed, unknown, expired and revoked tokens.
  constructor(message = 'A valid access token is required: send it as "Authorization: Bearer <token>"') {
    super(message);
  }
}

export class InvalidSignatureError extends ServiceError {
  override name = 'InvalidSignatureError';
  readonly status = 401;
  override readonly code = 'invalid_signature';

  // The message is the same for missing, malformed, expired and wrong signatures, and for webhooks that do not exist.
  constructor() {
    super('The signature of this request is not valid');
  }
}

export class ForbiddenError extends ServiceError {
  override name = 'ForbiddenError';
  readonly status = 403;
  override readonly code:
    | 'organization_forbidden'
    | 'ability_denied'
    | 'owner_required'
    | 'origin_forbidden'
    | 'csrf_token_invalid';

  constructor(code: ForbiddenError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the same error for unknown and unauthorized organizations. */
export function organizationForbidden(): ForbiddenError {
  return new ForbiddenError('organization_forbidden', 'This credential has no access to that organization');
}

export class NotFoundError extends ServiceError {
  override name = 'NotFoundError';
  readonly status = 404;

  override readonly headers: Readonly<Record<string, string>>;
  readonly deletedMemoryId: string | undefined;

  // The message is the same for unknown, foreign, deleted and malformed ids, so that it reveals nothing about them.
  /** @param deletedMemoryId deleted memory with the external key of the write; always of the caller's organization */
  constructor(deletedMemoryId?: string) {
    super('Not found');
    this.deletedMemoryId = deletedMemoryId;
    this.headers = deletedMemoryId === undefined ? {} : { 'X-Deleted-Memory-Id': deletedMemoryId };
  }
}

export class InvitationInvalidError extends ServiceError {
  override name = 'InvitationInvalidError';
  readonly status = 404;
  override readonly code = 'invitation_invalid';

  // The message is the same for every reason, so that a link reveals nothing to anybody but its invitee.
  constructor() {
    super('This invitation is not valid: it may be used, revoked or expired, or the address or password may be wrong');
  }
}

export class SignInLinkInvalidError extends ServiceError {
  override name = 'SignInLinkInvalidError';
  readonly status = 404;
  override readonly code = 'sign_in_link_invalid';

  // The message is the same for wrong, used and expired codes.
  constructor() {
    super('This sign-in link is not valid: it may be used or expired. Ask for a new one');
  }
}

export class MethodNotAllowedError extends ServiceError {
  override name = 'MethodNotAllowedError';
  readonly status = 405;
  override readonly code = 'method_not_allowed';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(allowed: readonly string[]) {
    super(`This path accepts only ${allowed.join(', ')}`);
    this.headers = { Allow: allowed.join(', ') };
  }
}

export class NotAcceptableError extends ServiceError {
  override name = 'NotAcceptableError';
  readonly status = 406;
  override readonly code = 'not_acceptable';

  constructor() {
    super('Responses are JSON: send Accept: application/json, text/event-stream');
  }
}

export class ConflictError extends ServiceError {
  override name = 'ConflictError';
  readonly status = 409;
  override readonly code: string;
  override readonly extra: Readonly<Record<string, unknown>>;

  /** @param id the memory that causes the conflict, if there is one; always of the caller's organization */
  constructor(code: string, message: string, id?: string) {
    super(message);
    this.code = code;
    this.extra = id === undefined ? {} : { id };
  }
}

export class CountMismatchError extends ServiceError {
  override name = 'CountMismatchError';
  readonly status = 409;
  override readonly code = 'count_mismatch';
  override readonly extra: Readonly<Record<string, unknown>>;

  /** @param count number of memories that match, which is not the expected one */
  constructor(count: number) {
    super(`The number of matching memories is ${count} now: nothing was deleted`);
    this.extra = { count };
  }
}

export class PayloadTooLargeError extends ServiceError {
  override name = 'PayloadTooLargeError';
  readonly status = 413;
  override readonly code: 'payload_too_large' | 'batch_too_large';
  override readonly extra: Readonly<Record<string, unknown>>;
  override readonly headers: Readonly<Record<string, string>>;

  constructor(code: PayloadTooLargeError['code'], message: string, max: number) {
    super(message);
    this.code = code;
    this.extra = { max };
    // The rest of the body is not read, so the connection cannot be used again.
    this.headers = code === 'payload_too_large' ? { Connection: 'close' } : {};
  }
}

export class UnsupportedMediaTypeError extends ServiceError {
  override name = 'UnsupportedMediaTypeError';
  readonly status = 415;
  override readonly code = 'unsupported_media_type';

  constructor(message = 'Send the body as Content-Type: application/json') {
    super(message);
  }
}

export class UnprocessableError extends ServiceError {
  override name = 'UnprocessableError';
  readonly status = 422;
  override readonly code: string;
  override readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    code = 'validation_failed',
  ) {
    super(message);
    this.code = code;
    this.extra = details.length > 0 ? { details } : {};
  }
}

/** The content scan detected data that must not be stored (section 7). Names the kinds, never the matched text. */
export class ContentRejectedError extends ServiceError {
  override name = 'ContentRejectedError';
  readonly status = 422;
  override readonly code = 'content_rejected';
  override readonly extra: Readonly<Record<string, unknown>>;

  constructor(reasons: readonly string[]) {
    super(
      `The memory contains what looks like ${reasons.map((reason) => REJECTED[reason] ?? reason).join(', ')}: remove it`,
    );
    this.extra = { reasons };
  }
}

const REJECTED: Readonly<Record<string, string>> = {
  api_key: 'an API key or another secret',
  payment_card: 'a payment card number',
  email: 'an e-mail address',
};

export class RateLimitedError extends ServiceError {
  override name = 'RateLimitedError';
  readonly status = 429;
  override readonly code = 'rate_limited';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfterSeconds: number) {
    super(`Too many requests this minute: try again in ${retryAfterSeconds} s`);
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

export class QuotaExceededError extends ServiceError {
  override name = 'QuotaExceededError';
  readonly status = 429;
  override readonly code = 'quota_exceeded';
  override readonly extra: Readonly<Record<string, unknown>>;

  /** @param resetsAt time at which the next period starts, formatted for the response */
  constructor(what: 'ingests' | 'searches', resetsAt: string) {
    super(`The plan's monthly cap of ${what} is reached: wait until ${resetsAt}, or choose a larger plan`);
    this.extra = { resetsAt };
  }
}

/** The write would exceed the storage of the plan. */
export class StorageExceededError extends ServiceError {
  override name = 'StorageExceededError';
  readonly status = 429;
  override readonly code = 'quota_exceeded';
  override readonly extra: Readonly<Record<string, unknown>>;

  constructor(storageBytes: number) {
    super(
      `The write would exceed the plan's storage of ${storageBytes} bytes: delete memories, or choose a larger plan`,
    );
    this.extra = { storageBytes };
  }
}

export class EntitlementRequiredError extends ServiceError {
  override name = 'EntitlementRequiredError';
  readonly status = 402;
  override readonly code = 'entitlement_required';

  constructor() {
    super('Writes require an active subscription or trial: an owner of the organization can start one');
  }
}

export class UnavailableError extends ServiceError {
  override name = 'UnavailableError';
  readonly status = 503;
  override readonly code = 'service_unavailable';
  override readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, retryAfterSeconds: number, cause?: unknown) {
    super(message, { cause });
    this.headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) };
  }
}
