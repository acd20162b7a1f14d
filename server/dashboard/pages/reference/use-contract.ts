import { MemoryApiError, MemoryConnectionError } from '@memory-service/sdk';
import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Document } from './contract.js';

/** Reads the contract of the service once. The SDK has no call for it, since it is generated from it. */
export function useContract(): UseQueryResult<Document> {
  return useQuery({
    queryKey: ['contract'],
    queryFn: ({ signal }) => readContract(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    // Comparing the parts with those of before would cost more than they are worth.
    structuralSharing: false,
  });
}

async function readContract(signal: AbortSignal): Promise<Document> {
  const response = await fetch('/openapi.json', { signal }).catch((cause: unknown) => {
    throw new MemoryConnectionError('The contract did not arrive', { cause });
  });
  if (response.ok) return (await response.json()) as Document;
  throw new MemoryApiError({
    status: response.status,
    message: `The contract was answered with ${response.status}`,
    code: undefined,
    details: [],
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfter: undefined,
    body: undefined,
  });
}
