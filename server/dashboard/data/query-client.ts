import {
  EntitlementRequiredError,
  ForbiddenError,
  MemoryConnectionError,
  UnauthenticatedError,
  UnavailableError,
} from '@memory-service/sdk';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/preact-query';
import { isRateLimited } from '../kit/feedback/failure.js';
import { forgetClients } from './client.js';
import { setCondition } from './condition.js';
import { reportSignedOut } from './signed-out.js';

/** First word of the keys of session queries. */
export const SESSION = 'session';

const MAX_READ_RETRIES = 2;
/** A read does not wait longer than this for the service by itself. */
const MAX_WAIT_SECONDS = 120;
const FRESH_MS = 30_000;

/** Creates the cache of everything that pages read. Pages poll only what is not metered. */
export function createQueryClient(): QueryClient {
  const onFailure = (error: unknown) => {
    if (error instanceof UnauthenticatedError) reportSignedOut();
    if (error instanceof EntitlementRequiredError) setCondition('entitlement_required');
    if (error instanceof UnavailableError) setCondition('service_unavailable');
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: onFailure,
      onSuccess: () => setCondition(undefined, 'service_unavailable'),
    }),
    mutationCache: new MutationCache({
      onError(error, _input, _result, { meta }) {
        // A wrong password is no ended session.
        if (meta?.signsIn === true) return;
        // Somebody signed in anew in another tab: reading the session again brings its CSRF token.
        if (error instanceof ForbiddenError && error.code === 'csrf_token_invalid') {
          void client.invalidateQueries({ queryKey: [SESSION] });
        }
        onFailure(error);
      },
      onSuccess: () => setCondition(undefined),
    }),
    defaultOptions: {
      queries: {
        retry: mayReadAgain,
        retryDelay: (attempt, error) => delayMs(attempt, error),
        staleTime: FRESH_MS,
        refetchOnWindowFocus: false,
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

/** Forgets everything of the account. */
export function forgetAccount(client: QueryClient): void {
  client.clear();
  forgetClients();
  setCondition(undefined);
}

/** A read that was refused for this minute waits for the time that the service names, as often as needed. */
function mayReadAgain(failures: number, error: unknown): boolean {
  if (isRateLimited(error)) return (error.retryAfter ?? 0) <= MAX_WAIT_SECONDS;
  const isPassing = error instanceof MemoryConnectionError || error instanceof UnavailableError;
  return isPassing && failures < MAX_READ_RETRIES;
}

function delayMs(attempt: number, error: unknown): number {
  if (isRateLimited(error)) return Math.max(1, error.retryAfter ?? 1) * 1_000;
  return Math.min(4_000, 500 * 2 ** attempt);
}
