import type { Membership, MemoryClient, SessionInfo } from '@memory-service/sdk';
import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OperationId } from './abilities.js';

/** The organization of a page and what its user may do there. */
export interface Place {
  organization: Membership;
  session: SessionInfo;
  client: MemoryClient;
  /** Reports if the role of the user allows an operation. Controls of other operations are not shown. */
  can: (operation: OperationId) => boolean;
  /** Returns the address of a page of the organization. */
  href: (path: string) => string;
}

export const PlaceContext = createContext<Place | undefined>(undefined);

/** @throws {Error} outside the pages of an organization */
export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (!place) throw new Error('this component belongs to a page of an organization');
  return place;
}

/** The start of the key of everything that was read in an organization. */
export function keyOf(organizationId: string, ...names: readonly unknown[]): readonly unknown[] {
  return ['organization', organizationId, ...names];
}

/**
 * Reads something of the organization.
 *
 * @param names identify what is read, starting with its subject, such as `['memories', id]`
 */
export function useRead<T>(
  names: readonly unknown[],
  read: (client: MemoryClient, options: { signal: AbortSignal }) => Promise<T>,
  options: { enabled?: boolean; staleTimeMs?: number } = {},
): UseQueryResult<T> {
  const { client, organization } = usePlace();
  const { enabled = true, staleTimeMs } = options;
  return useQuery({
    queryKey: keyOf(organization.id, ...names),
    queryFn: ({ signal }) => read(client, { signal }),
    enabled,
    ...(staleTimeMs !== undefined && { staleTime: staleTimeMs }),
  });
}

/**
 * Changes something of the organization.
 *
 * @param subjects first names of what is read again afterwards, such as `['memories']`
 */
export function useWrite<Input, T>(
  write: (client: MemoryClient, input: Input) => Promise<T>,
  { subjects, onDone }: { subjects: readonly string[]; onDone?: (result: T, input: Input) => void },
): UseMutationResult<T, Error, Input> {
  const { client, organization } = usePlace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => write(client, input),
    onSuccess: async (result, input) => {
      onDone?.(result, input);
      await Promise.all(
        subjects.map((subject) => queries.invalidateQueries({ queryKey: keyOf(organization.id, subject) })),
      );
    },
  });
}
