import { infiniteQueryOptions } from '@tanstack/preact-query';
import { clientOf } from '../../data/client.js';
import { keyOf } from '../../data/organization.js';
import { listQuery } from './list-query.js';
import type { View } from './view.js';

/** Reads the pages of a view. Nothing reads them again unless requested, so that rows stay where they are. */
export function listRead(organizationId: string, view: View) {
  return infiniteQueryOptions({
    queryKey: keyOf(organizationId, 'browse', view),
    queryFn: async ({ pageParam, signal }) =>
      clientOf(organizationId).browse.list(listQuery(view, pageParam), { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}
