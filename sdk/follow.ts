import type { MemoryClient } from './client.js';
import type { ChangesPage } from './generated/types.gen.js';
import type { CallOptions, ChangesQuery } from './options.js';
import type { Change } from './resources/memories.js';
import { mayRepeat, retryDelayMs, wait } from './transport/retry.js';

/** Stores the position of a follower, so that it resumes there after a restart. */
export interface CursorStore {
  /** Returns the last saved cursor, or undefined. */
  load(): string | undefined | Promise<string | undefined>;
  save(cursor: string): void | Promise<void>;
}

export interface FollowQuery extends Omit<ChangesQuery, 'since' | 'cursor'> {
  /** The time to start from if no cursor was saved. Default: the first change. */
  since?: string | Date | undefined;
}

export interface FollowOptions extends CallOptions {
  /** Stores the cursor. Default: none, so that each follower starts at `since`. */
  cursors?: CursorStore | undefined;
  /** Delay before the next request when there are no new changes. Default: 5,000. */
  pollIntervalMs?: number | undefined;
  /** Called with each error after which the follower retries. */
  onFailure?: ((error: unknown) => void) | undefined;
}

const DEFAULT_POLL_INTERVAL_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
const FIRST_CHANGE = '1970-01-01T00:00:00Z';

/**
 * Yields every change after the saved cursor, and then new changes as they happen, until `signal` aborts.
 *
 * Delivery is at least once: the cursor of a page is saved after its last change was processed. A follower that stops
 * earlier receives that page again. It survives lost connections, rate limits and outages.
 *
 * @throws {MemoryApiError} if the service returns an error that a retry cannot fix
 */
export async function* follow(
  client: Pick<MemoryClient, 'changes'>,
  query: FollowQuery,
  options: FollowOptions,
): AsyncGenerator<Change, void, undefined> {
  const { cursors, pollIntervalMs = DEFAULT_POLL_INTERVAL_MS, signal } = options;
  let cursor = await cursors?.load();
  for (;;) {
    const page = await readOn(client, query, cursor, options);
    for (const change of page?.changes ?? []) {
      if (signal?.aborted) return;
      yield change;
    }
    if (page === undefined) return;
    if (page.changes.length > 0 && page.nextCursor !== undefined) {
      cursor = page.nextCursor;
      await cursors?.save(cursor);
    }
    if (!page.meta.hasMore) await pause(pollIntervalMs, signal);
  }
}

/** Returns the next page, with retries without end. Returns undefined after an abort. */
async function readOn(
  client: Pick<MemoryClient, 'changes'>,
  query: FollowQuery,
  cursor: string | undefined,
  { signal, timeoutMs, maxRetries, headers, onFailure }: FollowOptions,
): Promise<ChangesPage | undefined> {
  const since = beginning(query, cursor);
  for (let failures = 1; !signal?.aborted; failures += 1) {
    try {
      return await client.changes({ ...query, since, cursor }, { signal, timeoutMs, maxRetries, headers });
    } catch (error) {
      if (signal?.aborted) return undefined;
      if (!mayRepeat(error, 'always')) throw error;
      onFailure?.(error);
      await pause(retryDelayMs(error, failures, MAX_PAUSE_MS) ?? MAX_PAUSE_MS, signal);
    }
  }
  return undefined;
}

/** Returns the `since` that the service requires beside a cursor. A cursor starts with a time. */
function beginning({ since }: FollowQuery, cursor: string | undefined): string | Date {
  return since ?? cursor?.split('|')[0] ?? FIRST_CHANGE;
}

/** Waits. Does not throw on an abort, since that is how a follower stops. */
async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(delayMs, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
