import {
  bulkhead,
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
import type { EmbedderStatus } from '../../ports/embedder.js';
import {
  isProviderFault,
  isTransient,
  ProviderBusyError,
  ProviderStatusError,
  toUnavailable,
} from './provider-error.js';

const CONCURRENT_CALLS = 8;
const WAITING_CALLS = 64;
const TRY_MS = 10_000;
const CALL_MS = 15_000;
/** A try with less time left is not worth making, and its failure would not be the provider's. */
const SHORTEST_TRY_MS = 1_000;
const RETRIES = 2;
const FIRST_BACKOFF_MS = 500;
const LAST_BACKOFF_MS = FIRST_BACKOFF_MS * 2 ** (RETRIES - 1);
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;

/**
 * Stands between the service and a provider that may be slow, overloaded or
 * gone: bounds how many calls run and wait, how long each takes, tries again
 * where that can help, and leaves a failing provider alone for a while.
 *
 * A call takes 15 s at most from its first moment, tries and pauses included.
 */
export class ProviderGuard {
  private readonly slots = bulkhead(CONCURRENT_CALLS, WAITING_CALLS);
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

  /** @throws {EmbeddingUnavailableError} */
  async run<Answer>(attempt: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const deadline = Date.now() + CALL_MS;
    try {
      return await this.slots.execute(() => this.retries(deadline).execute(() => this.tryOnce(attempt, deadline)));
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
    if (leftMs < SHORTEST_TRY_MS) throw new ProviderBusyError('no time left');
    const limit = timeout(Math.min(TRY_MS, leftMs), { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false });
    return this.breaker.execute(() => limit.execute(({ signal }) => attempt(signal)));
  }

  private retries(deadline: number): RetryPolicy {
    const isWorthwhile = (error: Error) => {
      const pauseMs = requestedPauseMs(error) ?? LAST_BACKOFF_MS;
      return isTransient(error) && Date.now() + pauseMs + SHORTEST_TRY_MS <= deadline;
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
