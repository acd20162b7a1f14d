import { describe, expect, test } from 'vitest';
import { MemoryClient } from './client.js';
import type { CursorStore, FollowOptions } from './follow.js';

interface Page {
  ids: string[];
  hasMore?: boolean;
  nextCursor?: string | undefined;
}

const ONE = '2026-03-01T00:00:00.000001Z|1';
const TWO = '2026-03-01T00:00:00.000002Z|2';
const THREE = '2026-03-01T00:00:00.000003Z|3';

/** Creates a client that receives these responses in turn and then no more changes. */
function clientAnswering(...answers: (Page | Response | 'cut')[]) {
  const queries: Record<string, string>[] = [];
  const client = new MemoryClient({
    baseUrl: 'http://memory.test',
    token: 'msk_test',
    maxRetries: 0,
    fetch: async (input) => {
      const query = Object.fromEntries(new URL((input as Request).url).searchParams);
      queries.push(query);
      const answer = answers.shift() ?? { ids: [], nextCursor: query.cursor };
      if (answer === 'cut') throw new TypeError('cut');
      if (answer instanceof Response) return answer;
      const { ids, hasMore = false, nextCursor } = answer;
      const changes = ids.map((id) => ({ id, change: 'created' }));
      return Response.json({ changes, meta: { count: ids.length, hasMore }, nextCursor });
    },
  });
  return { client, queries };
}

function cursorsIn(saved: string[]): CursorStore {
  return { load: () => saved.at(-1), save: (cursor) => void saved.push(cursor) };
}

/** Reads `enough` changes, then aborts the follower by its signal. */
async function take(client: MemoryClient, enough: number, options: FollowOptions): Promise<string[]> {
  const stop = new AbortController();
  const ids: string[] = [];
  for await (const { id } of client.follow({}, { pollIntervalMs: 0, signal: stop.signal, ...options })) {
    ids.push(id);
    if (ids.length === enough) stop.abort();
  }
  return ids;
}

describe('a follower', () => {
  test('starts at the first change and reads page after page', async () => {
    const { client, queries } = clientAnswering(
      { ids: ['1', '2'], hasMore: true, nextCursor: TWO },
      { ids: ['3'], nextCursor: THREE },
    );
    const saved: string[] = [];

    const ids = await take(client, 3, { cursors: cursorsIn(saved) });

    expect(ids).toEqual(['1', '2', '3']);
    expect(queries).toEqual([{ since: '1970-01-01T00:00:00Z' }, { since: '2026-03-01T00:00:00.000002Z', cursor: TWO }]);
    expect(saved).toEqual([TWO, THREE]);
  });

  test('resumes where another one stopped', async () => {
    const { client, queries } = clientAnswering({ ids: ['3'], nextCursor: THREE });
    const saved = [TWO];

    expect(await take(client, 1, { cursors: cursorsIn(saved) })).toEqual(['3']);

    expect(queries[0]).toMatchObject({ cursor: TWO });
    expect(saved).toEqual([TWO, THREE]);
  });

  test('polls with the same cursor while there are no changes, and saves nothing', async () => {
    const { client, queries } = clientAnswering(
      { ids: ['1'], nextCursor: ONE },
      { ids: [], nextCursor: ONE },
      { ids: [], nextCursor: ONE },
      { ids: ['2'], nextCursor: TWO },
    );
    const saved: string[] = [];

    expect(await take(client, 2, { cursors: cursorsIn(saved) })).toEqual(['1', '2']);

    expect(queries.map(({ cursor }) => cursor)).toEqual([undefined, ONE, ONE, ONE]);
    expect(saved).toEqual([ONE, TWO]);
  });

  test('does not save the cursor of a page that was not fully processed', async () => {
    const { client } = clientAnswering({ ids: ['1', '2'], nextCursor: TWO });
    const saved: string[] = [];
    const fail = async () => {
      for await (const { id } of client.follow({}, { cursors: cursorsIn(saved) })) {
        if (id === '2') throw new Error('the other store is down');
      }
    };

    await expect(fail()).rejects.toThrow('the other store is down');

    expect(saved).toEqual([]);
  });

  test('saves the cursor of a page before it requests the next one', async () => {
    const { client, queries } = clientAnswering(
      { ids: ['1'], hasMore: true, nextCursor: ONE },
      { ids: ['2'], nextCursor: TWO },
    );
    const asked: number[] = [];
    const cursors: CursorStore = { load: () => undefined, save: () => void asked.push(queries.length) };

    await take(client, 2, { cursors });

    expect(asked).toEqual([1, 2]);
  });

  test('survives lost connections, rate limits and outages, and reports each', async () => {
    const { client } = clientAnswering(
      'cut',
      Response.json({ error: 'no', code: 'rate_limited' }, { status: 429, headers: { 'Retry-After': '0' } }),
      Response.json({ error: 'no', code: 'service_unavailable' }, { status: 503, headers: { 'Retry-After': '0' } }),
      { ids: ['1'], nextCursor: ONE },
    );
    const failures: string[] = [];

    const ids = await take(client, 1, { onFailure: (error) => failures.push((error as Error).name) });

    expect(ids).toEqual(['1']);
    expect(failures).toEqual(['MemoryConnectionError', 'RateLimitedError', 'UnavailableError']);
  });

  test.each([401, 403, 422])('throws the error of a %i', async (status) => {
    const { client } = clientAnswering(Response.json({ error: 'no', code: 'why' }, { status }));

    await expect(client.follow().next()).rejects.toMatchObject({ status });
  });

  test('throws the error if the monthly cap is used up', async () => {
    const { client } = clientAnswering(Response.json({ error: 'no', code: 'quota_exceeded' }, { status: 429 }));

    await expect(client.follow().next()).rejects.toMatchObject({ code: 'quota_exceeded' });
  });

  test('stops without an error when it is aborted while it waits', async () => {
    const { client, queries } = clientAnswering();
    const stop = new AbortController();
    const feed = client.follow({}, { signal: stop.signal, pollIntervalMs: 3_600_000 });

    const next = feed.next();
    await new Promise(setImmediate);
    stop.abort();

    expect(await next).toEqual({ done: true, value: undefined });
    expect(queries).toHaveLength(1);
  });

  test('sends no request if it was aborted before', async () => {
    const { client, queries } = clientAnswering({ ids: ['1'], nextCursor: ONE });

    expect(await client.follow({}, { signal: AbortSignal.abort() }).next()).toMatchObject({ done: true });

    expect(queries).toEqual([]);
  });
});
