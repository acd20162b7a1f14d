import type { MemoryClient } from '@memory-service/sdk';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/preact-query';
import { keyOf, usePlace } from './organization.js';

interface Position {
  cursor?: string;
}

/** The items of the pages that were read so far. `fetchNextPage` reads on. */
export type List<Item> = UseInfiniteQueryResult<Item[]>;

/**
 * Reads a list of the organization page by page.
 *
 * @param names identify the list, starting with its subject, such as `['members']`
 */
export function useList<Page extends { nextCursor?: string }, Item>(
  names: readonly unknown[],
  readPage: (client: MemoryClient, position: Position, options: { signal: AbortSignal }) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): List<Item> {
  const { client, organization } = usePlace();
  return useInfiniteQuery({
    queryKey: keyOf(organization.id, ...names),
    queryFn: ({ signal, pageParam }) => readPage(client, pageParam, { signal }),
    initialPageParam: {} as Position,
    getNextPageParam: ({ nextCursor }): Position | undefined =>
      nextCursor === undefined ? undefined : { cursor: nextCursor },
    select: ({ pages }: InfiniteData<Page, Position>) => pages.flatMap(itemsOf),
  });
}
