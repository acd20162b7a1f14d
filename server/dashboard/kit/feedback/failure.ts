import { MemoryApiError, MemoryConnectionError, RateLimitedError } from '@memory-service/sdk';

/** A failure in words for people. */
export interface Failure {
  title: string;
  text: string;
  code?: string;
  requestId?: string;
  /** True if the same call may succeed later. */
  mayRetry: boolean;
  /** Seconds after which the service accepts the call again. */
  retryAfterSeconds?: number;
}

/** Titles of the codes that pages do not explain themselves. */
const TITLES: Readonly<Record<string, string>> = {
  unauthenticated: 'Sign in again',
  sign_in_link_invalid: 'The link does not work',
  invitation_invalid: 'The link does not work',
  organization_forbidden: 'You do not belong to this organization',
  ability_denied: 'Your role does not allow this',
  owner_required: 'Only owners may do this',
  csrf_token_invalid: 'Your session has changed',
  validation_failed: 'Correct your input',
  entitlement_required: 'Writing needs a subscription',
  subscription_open: 'The subscription goes on',
  quota_exceeded: 'The cap of your plan is reached',
  rate_limited: 'Too many requests in this minute',
  service_unavailable: 'The service is busy',
  internal_error: 'The service has a fault',
};

/** Codes of refusals that the next attempt may not meet. */
const PASSING = ['rate_limited', 'service_unavailable', 'internal_error', 'csrf_token_invalid'];

export function toFailure(error: unknown): Failure {
  if (error instanceof MemoryApiError) return ofService(error);
  if (error instanceof MemoryConnectionError) {
    return { title: 'The service does not answer', text: 'Check your connection, then try again.', mayRetry: true };
  }
  return {
    title: 'This page has a fault',
    text: error instanceof Error ? error.message : String(error),
    mayRetry: true,
  };
}

/** Reports if a call was refused only for this minute. */
export function isRateLimited(error: unknown): error is RateLimitedError {
  return error instanceof RateLimitedError && error.code !== 'quota_exceeded';
}

function ofService({ status, code, message, requestId, retryAfter }: MemoryApiError): Failure {
  const fallback = status === 404 ? 'Not found' : 'The service refused this';
  return {
    title: (code === undefined ? undefined : TITLES[code]) ?? fallback,
    text: status === 404 && code === undefined ? 'It does not exist, or it was deleted.' : message,
    mayRetry: status >= 500 || (code !== undefined && PASSING.includes(code)),
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
  };
}
