import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhen,
  type RetryPolicy,
  retry,
  TimeoutStrategy,
  timeout,
} from 'cockatiel';
import { sharedResource } from '../../../domain/fairness/bounds.js';
import { tenantOrService } from '../../../domain/fairness/owner.js';
import type { SharedResource } from '../../../domain/fairness/shared-resource.js';
import type { EmbedderStatus } from '../../../ports/embedder.js';
import {
  isProviderFault,
  isTransient,
  ProviderBusyError,
  ProviderStatusError,
  toUnavailable,
} from './provider-error.js';

const TRY_MS = 10_000;
const CALL_MS = 15_000;
/** A try with less time left is not worth making, and its failure would not be the provider's. */
const MIN_TRY_MS = 1_000;
const RETRIES = 2;
const FIRST_BACKOFF_MS = 500;
const LAST_BACKOFF_MS = FIRST_BACKOFF_MS * 2 ** (RETRIES - 1);
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;

/**
 * Protects the service from a provider that is slow, overloaded or down. Tenants take turns with a bounded number of
 * calls. Each call has a time limit and retries; after repeated failures no calls are made for a while.
 *
 * A call takes at most 15 s, including its wait, retries and pauses.
 */
export class ProviderGuard {
  readonly calls: SharedResource = sharedResource('embeddingCalls');
  // Inside of the retries: each try counts, and once it is open no further try is made.
  private readonly breaker: CircuitBreakerPolicy = circuitBreaker(handleWhen(isProviderFault), {
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
    halfOpenAfter: OPEN_MS,
  });
  private openedAt = 0;

  /** @param random from 0 to 1, for the pauses between tries */
  constructor(
    private readonly provider: string,
    private readonly random: () => number,
  ) {
    this.breaker.onBreak(() => {
      this.openedAt = Date.now();
    });
  }

  /**
   * @param tenant owner of the call; undefined for the service itself
   * @throws {EmbeddingUnavailableError}
   * @throws {ShareExceededError} if too many calls wait, or the wait takes too long
   */
  async run<Answer>(attempt: (signal: AbortSignal) => Promise<Answer>, tenant: string | undefined): Promise<Answer> {
    const deadline = Date.now() + CALL_MS;
    using _ = await this.calls.wait([tenantOrService(tenant)]);
    try {
      return await this.retries(deadline).execute(() => this.tryOnce(attempt, deadline));
    } catch (error) {
      throw toUnavailable(error, this.provider);
    }
  }

  status(): EmbedderStatus {
    if (this.breaker.state === CircuitState.Closed) return 'ok';
    // An open breaker waits for the next call to try; without traffic it would seem down for ever.
    const mayBeTried = this.breaker.state === CircuitState.HalfOpen || Date.now() - this.openedAt >= OPEN_MS;
    return mayBeTried ? 'degraded' : 'down';
  }

  private tryOnce<Answer>(attempt: (signal: AbortSignal) => Promise<Answer>, deadline: number): Promise<Answer> {
    const leftMs = deadline - Date.now();
    if (leftMs < MIN_TRY_MS) throw new ProviderBusyError('no time left');
    const limit = timeout(Math.min(TRY_MS, leftMs), { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false });
    return this.breaker.execute(() => limit.execute(({ signal }) => attempt(signal)));
  }

  private retries(deadline: number): RetryPolicy {
    const isWorthwhile = (error: Error) => {
      const pauseMs = requestedPauseMs(error) ?? LAST_BACKOFF_MS;
      return isTransient(error) && Date.now() + pauseMs + MIN_TRY_MS <= deadline;
    };
    return retry(handleWhen(isWorthwhile), {
      maxAttempts: RETRIES,
      backoff: new DelegateBackoff(({ attempt, result }) => {
        const requested = 'error' in result ? requestedPauseMs(result.error) : undefined;
        return requested ?? this.random() * FIRST_BACKOFF_MS * 2 ** (attempt - 1);
      }),
    });
  }
}

function requestedPauseMs(error: Error): number | undefined {
  return error instanceof ProviderStatusError ? error.retryAfterMs : undefined;
}
