import { type QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { useLayoutEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { BARE_PAGES } from './bare-pages.js';
import { signInAddress } from './data/sign-in-address.js';
import { onSignedOut } from './data/signed-out.js';
import { ToastProvider } from './kit/feedback/toast.js';
import { PAGES } from './pages.js';
import { FaultBoundary } from './shell/fault-boundary.js';
import { NotFoundPage } from './shell/not-found-page.js';
import { OrganizationPages } from './shell/organization-pages.js';
import { StartPage } from './shell/start-page.js';

/** Addresses that scripts of this page show. Other links leave it. */
const OWN_ADDRESSES = /^\/(?:\?|$|sign-in|password-reset|welcome|o\/)/;

const Organization = () => <OrganizationPages pages={PAGES} />;

export function App({ queries }: { queries: QueryClient }) {
  return (
    <LocationProvider scope={OWN_ADDRESSES}>
      <Pages queries={queries} />
    </LocationProvider>
  );
}

function Pages({ queries }: { queries: QueryClient }) {
  const { route } = useLocation();
  useLayoutEffect(() => {
    return onSignedOut(() => {
      if (location.pathname !== '/sign-in') route(signInAddress(location.pathname + location.search), true);
    });
  }, []);
  return (
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <FaultBoundary>
          <ErrorBoundary>
            <Router>
              <Route path="/" component={StartPage} />
              {BARE_PAGES.map(({ path, component }) => (
                <Route key={path} path={path} component={component} />
              ))}
              <Route path="/o/:organizationId" component={StartPage} />
              <Route path="/o/:organizationId/*" component={Organization} />
              <Route default component={NotFoundPage} />
            </Router>
          </ErrorBoundary>
        </FaultBoundary>
      </ToastProvider>
    </QueryClientProvider>
  );
}
