import type { SessionInfo } from '@memory-service/sdk';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { Route, Router, useLocation, useRoute } from 'preact-iso';
import { roleMay } from '../data/abilities.js';
import { clientOf } from '../data/client.js';
import { type Place, PlaceContext } from '../data/organization.js';
import { useSession } from '../data/session.js';
import { ButtonLink } from '../kit/controls/button.js';
import { DataState } from '../kit/feedback/data-state.js';
import { FailureNotice } from '../kit/feedback/failure-notice.js';
import { BarePage } from './bare-page.js';
import { MissingPage } from './not-found-page.js';
import { type Page, pathOf } from './page.js';
import { Shell } from './shell.js';

/** The pages of the organization in the address, for the role that the user has there. */
export function OrganizationPages({ pages }: { pages: readonly Page[] }) {
  const { params } = useRoute();
  const { path } = useLocation();
  const organizationId = params.organizationId ?? '';
  const session = useSession(organizationId);
  // The script of the page runs while the session is read.
  useLayoutEffect(() => {
    const page = pages.find((each) => `${path}/`.startsWith(`/o/${organizationId}${pathOf(each)}/`));
    void page?.component.preload();
  }, []);
  if (session.data?.organization) {
    return <Pages key={organizationId} pages={pages} session={session.data} organization={session.data.organization} />;
  }
  return (
    <BarePage>
      {session.error ? (
        <>
          <FailureNotice error={session.error} onRetry={() => void session.refetch()} />
          <ButtonLink href="/">Go to your organizations</ButtonLink>
        </>
      ) : (
        <DataState query={session}>{() => null}</DataState>
      )}
    </BarePage>
  );
}

interface PagesProps {
  pages: readonly Page[];
  session: SessionInfo;
  organization: NonNullable<SessionInfo['organization']>;
}

function Pages({ pages, session, organization }: PagesProps) {
  const place = useMemo<Place>(
    () => ({
      organization,
      session,
      client: clientOf(organization.id),
      can: (operation) => roleMay(organization.role, operation),
      href: (path) => `/o/${organization.id}${path}`,
    }),
    [organization, session],
  );
  const own = pages.filter(({ needs }) => place.can(needs));
  return (
    <PlaceContext.Provider value={place}>
      <Shell pages={own}>
        <Router>
          {own.map((page) => (
            <Route key={page.path} path={page.path} component={page.component} />
          ))}
          <Route default component={MissingPage} />
        </Router>
      </Shell>
    </PlaceContext.Provider>
  );
}
