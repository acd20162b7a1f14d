import type { SessionInfo } from '@memory-service/sdk';
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/preact-query';
import { clientOf } from './client.js';
import { SESSION } from './query-client.js';

/** Reads who is signed in. The client of the organization learns the CSRF token from the answer. */
export function sessionRead(organizationId?: string) {
  return queryOptions({
    queryKey: [SESSION, organizationId],
    queryFn: ({ signal }) => clientOf(organizationId).session.get({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSession(organizationId?: string): UseQueryResult<SessionInfo> {
  return useQuery(sessionRead(organizationId));
}
