import { useEffect } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useSession } from '../data/session.js';
import { DataState } from '../kit/feedback/data-state.js';
import { BarePage } from './bare-page.js';
import { FirstOrganization } from './first-organization.js';

/** Opens the overview: of the organization in the address, else of the first one of the user, who may have none. */
export function StartPage() {
  const { params } = useRoute();
  const { route } = useLocation();
  const session = useSession();
  const { organization, organizations = [] } = session.data ?? {};
  const organizationId = params.organizationId ?? organization?.id ?? organizations[0]?.id;
  useEffect(() => {
    if (session.data && organizationId !== undefined) route(`/o/${organizationId}/overview`, true);
  }, [session.data, organizationId]);
  return (
    <BarePage>
      <DataState query={session}>{() => organizationId === undefined && <FirstOrganization />}</DataState>
    </BarePage>
  );
}
