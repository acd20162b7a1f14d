import type { Change, MemoryClient } from './client.js';
import type { ChangesPage } from './generated/types.gen.js';
import type { CallOptions, ChangesQuery } from './options.js';
import { mayRepeat, retryDelayMs, wait } from './retry.js';

/** Keeps how far a follower has come, so that it goes on there after a restart. */
export interface CursorStore {
  /** The cursor saved last; undefined when there is none. */
  load(): string | undefined | Promise<string | undefined>;
  save(cursor: string): void | Promise<void>;
}

export interface FollowQuery extends Omit<ChangesQuery, 'since' | 'cursor'> {
  /** Where to begin when no cursor was saved. Default: the first change of all. */
  since?: string | Date | undefined;
}

export interface FollowOptions extends CallOptions {
  /** Default: none, so that each follower begins at `since`. */
  cursors?: CursorStore | undefined;
  /** Milliseconds to wait when there is nothing new. Default: 5,000. */
  pollIntervalMs?: number | undefined;
  /** Told of each failure that the follower outlasts. */
  onFailure?: ((error: unknown) => void) | undefined;
}

const DEFAULT_POLL_INTERVAL_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const FIRST_CHANGE = '1970-01-01T00:00:00Z';

/**
 * Every change from where the saved cursor points, and on and on as more
 * happen, until `signal` ends it.
 *
 * At least once: the cursor of a page is saved when the last change of that
 * page has been dealt with, so that a follower that breaks off meets that page
 * again. Outlasts lost connections, rate limits and a service that is down.
 *
 * @throws {MemoryApiError} when the service refuses for good
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

/** The next page, however long it takes; undefined once the follower is ended. */
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
      await pause(retryDelayMs(error, failures, LONGEST_PAUSE_MS) ?? LONGEST_PAUSE_MS, signal);
    }
  }
  return undefined;
}

/** The service wants a beginning beside each cursor, which begins with a time. */
function beginning({ since }: FollowQuery, cursor: string | undefined): string | Date {
  return since ?? cursor?.split('|')[0] ?? FIRST_CHANGE;
}

/** Waits; being ended is how a follower stops, not a failure. */
async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(delayMs, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
