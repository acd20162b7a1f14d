import { UnauthenticatedError } from '@memory-service/sdk';
import { type UseMutationResult, useMutation } from '@tanstack/preact-query';
import { clientOf } from '../data/client.js';

/** Ends the session. Leaving the page drops everything that it has in memory. */
export function useSignOut(organizationId?: string): UseMutationResult<void, Error, void> {
  return useMutation({
    mutationFn: async () => {
      try {
        await clientOf(organizationId).session.signOut();
      } catch (error) {
        // The session has ended already.
        if (!(error instanceof UnauthenticatedError)) throw error;
      }
      location.replace('/sign-in');
    },
  });
}
