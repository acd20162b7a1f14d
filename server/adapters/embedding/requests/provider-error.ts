import { BrokenCircuitError, TaskCancelledError } from 'cockatiel';
import { EmbeddingUnavailableError } from '../../../ports/embedder.js';

/** The provider answered with a status that is no success. */
export class ProviderStatusError extends Error {
  override name = 'ProviderStatusError';

  /** @param isTooLarge true if the request has too many texts or tokens, so that a part of it may succeed */
  constructor(
    readonly status: number,
    readonly retryAfterMs: number | undefined,
    readonly isTooLarge = false,
  ) {
    super(`status ${status}`);
  }
}

/** No answer arrived: name resolution, connection or transfer failed. */
export class ProviderUnreachableError extends Error {
  override name = 'ProviderUnreachableError';

  /** @param code what the operating system calls the fault, such as ECONNREFUSED */
  constructor(readonly code: string | undefined) {
    super('unreachable');
  }
}

/** The provider answered with success and something else than the vectors asked for. The message quotes no content. */
export class ProviderAnswerError extends Error {
  override name = 'ProviderAnswerError';
}

/** The time for a call was over before the provider's turn to answer came. */
export class ProviderBusyError extends Error {
  override name = 'ProviderBusyError';
}

/** Reports if the same call may succeed a little later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ProviderStatusError) return isTransientStatus(error.status);
  return error instanceof ProviderUnreachableError || error instanceof TaskCancelledError;
}

/** Reports if other calls are likely to fail too. A request that the provider rejects says nothing about the next. */
export function isProviderFault(error: unknown): boolean {
  const isLockedOut = error instanceof ProviderStatusError && isRefusedKey(error.status);
  return isTransient(error) || isLockedOut || error instanceof ProviderAnswerError;
}

const RETRY_SOON_SECONDS = 5;
const RETRY_AFTER_REPAIR_SECONDS = 60;
/** A provider may ask for hours, which is nothing to tell a caller: by then another attempt costs little. */
const MAX_RETRY_SECONDS = 60;

/** Says what a failed call means for whoever asked for vectors. Errors that are not a provider's come back as they are. */
export function toUnavailable(error: unknown, provider: string): unknown {
  const unavailable = (what: string, retryAfterSeconds = RETRY_SOON_SECONDS) =>
    new EmbeddingUnavailableError(`The embedding provider ${provider} ${what}`, retryAfterSeconds);

  if (error instanceof ProviderStatusError) return statusUnavailable(error, unavailable);
  if (error instanceof ProviderUnreachableError) {
    return unavailable(error.code === undefined ? 'cannot be reached' : `cannot be reached (${error.code})`);
  }
  if (error instanceof ProviderAnswerError) return unavailable(`gave a wrong answer: ${error.message}`);
  if (error instanceof TaskCancelledError) return unavailable('did not answer in time');
  if (error instanceof ProviderBusyError) return unavailable('is too slow for the requests that wait for it');
  if (error instanceof BrokenCircuitError) return unavailable('failed repeatedly and is left alone for a while');
  return error;
}

function statusUnavailable(
  { status, retryAfterMs }: ProviderStatusError,
  unavailable: (what: string, retryAfterSeconds?: number) => EmbeddingUnavailableError,
): EmbeddingUnavailableError {
  if (isTransientStatus(status)) {
    const wait = retryAfterMs === undefined ? undefined : toldSeconds(retryAfterMs);
    return unavailable(`answered with status ${status}`, wait);
  }
  const refused = isRefusedKey(status) ? "refused the service's credentials" : 'refused the request';
  return unavailable(`${refused} with status ${status}`, RETRY_AFTER_REPAIR_SECONDS);
}

/** Returns the wait that a provider asks for, limited to 1 to 60 seconds for the caller. */
function toldSeconds(retryAfterMs: number): number {
  return Math.min(Math.max(1, Math.ceil(retryAfterMs / 1_000)), MAX_RETRY_SECONDS);
}

function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function isRefusedKey(status: number): boolean {
  return status === 401 || status === 403;
}

/** Reads a Retry-After header, in seconds or as a date; undefined when it is neither. */
export function readRetryAfterMs(header: string | null | undefined): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
