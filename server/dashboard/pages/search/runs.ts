import type { SearchResponse, SearchResult } from '@memory-service/sdk';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { keyOf, usePlace, useWrite } from '../../data/organization.js';
import { requestOf, type SearchSettings } from './settings.js';

/** One search and what came of it. */
export interface Run {
  settings: SearchSettings;
  response: SearchResponse;
  /** Time until the whole answer was here. */
  tookMs: number;
}

interface Runs {
  latest?: Run;
  pinned?: Run;
}

/** How long the results of a run stay while another page is open. Running it again would be metered. */
const KEPT_MS = 30 * 60_000;
const NONE: Runs = {};

/** The latest run and the pinned one. They stay while other pages are open. Only `run` searches. */
export function useRuns() {
  const { organization } = usePlace();
  const queries = useQueryClient();
  const queryKey = keyOf(organization.id, 'searches');
  const { data: runs = NONE } = useQuery({ queryKey, queryFn: () => NONE, enabled: false, gcTime: KEPT_MS });
  const change = (part: Runs) => queries.setQueryData<Runs>(queryKey, { ...runs, ...part });
  const search = useWrite(
    async (client, settings: SearchSettings): Promise<Run> => {
      const started = performance.now();
      const response = await client.search({ ...requestOf(settings), explain: true });
      return { settings, response, tookMs: performance.now() - started };
    },
    { subjects: ['usage'], onDone: (latest) => change({ latest }) },
  );
  return {
    ...runs,
    run: (settings: SearchSettings) => search.mutate(settings),
    error: search.error,
    isRunning: search.isPending,
    pin: () => runs.latest && change({ pinned: runs.latest }),
    unpin: () => queries.setQueryData<Runs>(queryKey, runs.latest ? { latest: runs.latest } : {}),
  };
}

export type Moved = 'new' | number;

/**
 * Compares the order of two runs.
 *
 * @returns for each memory of the later run how many places it rose; `new` if the earlier run does not have it
 */
export function movesBetween(earlier: readonly SearchResult[], later: readonly SearchResult[]): Map<string, Moved> {
  const before = new Map(earlier.map(({ id }, at) => [id, at]));
  return new Map(
    later.map(({ id }, at) => {
      const place = before.get(id);
      return [id, place === undefined ? 'new' : place - at];
    }),
  );
}
