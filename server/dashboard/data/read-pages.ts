import type { MemoryClient } from '@memory-service/sdk';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/preact-query';
import { keyOf, usePlace } from './organization.js';

/**
 * Reads a list of the organization page by page.
 *
 * @param names identify what is read, starting with its subject, and include every filter
 */
export function useReadPages<Page extends { nextCursor?: string }>(
  names: readonly unknown[],
  read: (client: MemoryClient, cursor: string | undefined, options: { signal: AbortSignal }) => Promise<Page>,
): UseInfiniteQueryResult<InfiniteData<Page>> {
  const { client, organization } = usePlace();
  return useInfiniteQuery({
    queryKey: keyOf(organization.id, ...names),
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) =>
      read(client, pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
  });
}
