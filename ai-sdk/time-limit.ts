import { MemoryTimeoutError } from '@memory-service/sdk';

/**
 * Runs work with a signal that aborts after a time, or when the caller aborts. An `AbortSignal.timeout` inside an
 * `AbortSignal.any` can be collected before it fires (nodejs/node#57736).
 *
 * @throws {MemoryTimeoutError} after `timeoutMs`
 */
export async function withinTime<Result>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => PromiseLike<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = () => controller.abort(caller?.reason);
  const timer = setTimeout(() => {
    controller.abort(new MemoryTimeoutError(`the memory service did not respond within ${timeoutMs} ms`));
  }, timeoutMs);
  caller?.addEventListener('abort', stop, { once: true });
  if (caller?.aborted) stop();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', stop);
  }
}
