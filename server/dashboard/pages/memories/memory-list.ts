import type { BrowsedMemory, MemoriesPage, Memory, WrittenMemory } from '@memory-service/sdk';
import {
  type InfiniteData,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { keyOf, usePlace, useRead } from '../../data/organization.js';
import { PAGE_ROWS, PREVIEW, queryOf } from './list-query.js';
import { listRead } from './list-read.js';
import type { View } from './view.js';

const POLL_MS = 30_000;

/** First names of what a written memory changes, besides the list itself. */
export const WRITTEN = ['memory', 'counts', 'memories', 'documents'];

export type MemoryList = ReturnType<typeof useMemoryList>;

export function useMemoryList(view: View) {
  const { organization } = usePlace();
  const query = useInfiniteQuery(listRead(organization.id, view));
  const rows = useMemo(() => query.data?.pages.flatMap(({ memories }) => memories) ?? [], [query.data]);
  return { query, rows };
}

/** Counts the memories of the view that came after the list was read. The read is not metered. */
export function useNewer(view: View, { query, rows }: MemoryList): number {
  const { client, organization } = usePlace();
  const newest = rows[0]?.createdAt;
  const { data } = useQuery({
    queryKey: keyOf(organization.id, 'newer', view, newest),
    queryFn: async ({ signal }) => {
      const since = newest === undefined ? {} : { since: newest };
      const query = { ...queryOf(view), ...since, limit: PAGE_ROWS, preview: 1 };
      return (await client.browse.list(query, { signal })).memories;
    },
    enabled: query.isSuccess && view.sort === 'newest' && view.until === '' && !view.onlyDeleted,
    // Nothing is newer than a list that was just read.
    initialData: [],
    initialDataUpdatedAt: query.dataUpdatedAt,
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: 'always',
  });
  return useMemo(() => {
    // Only rows of the newest time can be among the memories since then.
    const older = rows.findIndex(({ createdAt }) => createdAt !== newest);
    const known = new Set(rows.slice(0, older === -1 ? rows.length : older).map(({ id }) => id));
    return data.filter(({ id }) => !known.has(id)).length;
  }, [data, rows, newest]);
}

/** Reads the creation of the oldest memory, at which the plot begins; now if there is none. */
export function useOldest(): UseQueryResult<string> {
  return useRead(['counts', 'oldest'], async (client, options) => {
    const { memories } = await client.browse.list(
      { direction: 'asc', limit: 1, preview: 1, includeDeleted: true },
      options,
    );
    return memories[0]?.createdAt ?? new Date().toISOString();
  });
}

export interface ListChanges {
  /** Replaces a memory in the list, in its place. */
  replace: (memory: Memory) => void;
  remove: (id: string) => void;
  /** Reads the list from its beginning. */
  restart: () => Promise<void>;
}

export function useListChanges(): ListChanges {
  const queries = useQueryClient();
  const { organization } = usePlace();
  const queryKey = keyOf(organization.id, 'browse');
  const patch = (id: string, change: BrowsedMemory[]) =>
    queries.setQueriesData<InfiniteData<MemoriesPage>>({ queryKey }, (data) => {
      if (!data) return data;
      const patched = (page: MemoriesPage) => ({
        ...page,
        memories: page.memories.flatMap((memory) => (memory.id === id ? change : memory)),
      });
      return { ...data, pages: data.pages.map(patched) };
    });
  return {
    replace: (memory) => patch(memory.id, [preview(memory)]),
    remove: (id) => patch(id, []),
    restart: () => queries.resetQueries({ queryKey }),
  };
}

/** Returns the memory without what only a list or a write adds. */
export function memoryOf(memory: BrowsedMemory | WrittenMemory): Memory {
  const { contentLength, truncated, outcome, dedupe, ...plain } = memory as BrowsedMemory & Partial<WrittenMemory>;
  return plain;
}

function preview(memory: Memory): BrowsedMemory {
  const characters = Array.from(memory.content);
  if (characters.length <= PREVIEW) return memory;
  return {
    ...memory,
    content: characters.slice(0, PREVIEW).join(''),
    contentLength: characters.length,
    truncated: true,
  };
}
