import { useQueryClient } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { keyOf, usePlace } from '../../data/organization.js';
import { useToast } from '../../kit/feedback/toast.js';

/** Returns what follows the deletion of a webhook. Its own page must not read it again, but the list must. */
export function useLeave(subject: 'inbound-webhooks' | 'outbound-webhooks'): () => void {
  const { organization, href } = usePlace();
  const { route } = useLocation();
  const queries = useQueryClient();
  const toast = useToast();
  return () => {
    void queries.invalidateQueries({ queryKey: keyOf(organization.id, subject), refetchType: 'none' });
    toast({ text: 'Deleted' });
    route(href('/integrations'));
  };
}
