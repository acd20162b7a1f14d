import { QueryClientProvider } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { createQueryClient } from './data/query-client.js';
import { signInAddress } from './data/sign-in-address.js';
import { ToastProvider } from './kit/feedback/toast.js';
import { PAGES } from './pages.js';
import { FaultBoundary } from './shell/fault-boundary.js';
import { NotFoundPage } from './shell/not-found-page.js';
import { OrganizationPages } from './shell/organization-pages.js';
import { StartPage } from './shell/start-page.js';

/** Addresses that scripts of this page show. Other links leave it. */
const OWN_ADDRESSES = /^\/(?:\?|$|sign-in|password-reset|welcome|o\/)/;

const SignInPage = lazy(() => import('./pages/sign-in/sign-in-page.js').then((module) => module.SignInPage));

const PasswordResetPage = lazy(() =>
  import('./pages/password-reset/password-reset-page.js').then((module) => module.PasswordResetPage),
);

const WelcomePage = lazy(() => import('./pages/welcome/welcome-page.js').then((module) => module.WelcomePage));

const Organization = () => <OrganizationPages pages={PAGES} />;

const InvitationPage = lazy(() =>
  import('./pages/invitation/invitation-page.js').then((module) => module.InvitationPage),
);

export function App() {
  return (
    <LocationProvider scope={OWN_ADDRESSES}>
      <Pages />
    </LocationProvider>
  );
}

function Pages() {
  const { route } = useLocation();
  const queries = useMemo(() => {
    const onSignedOut = () => {
      if (location.pathname !== '/sign-in') route(signInAddress(location.pathname + location.search), true);
    };
    return createQueryClient({ onSignedOut });
  }, []);
  return (
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <FaultBoundary>
          <ErrorBoundary>
            <Router>
              <Route path="/" component={StartPage} />
              <Route path="/sign-in" component={SignInPage} />
              <Route path="/password-reset" component={PasswordResetPage} />
              <Route path="/welcome" component={WelcomePage} />
              <Route path="/invitations/accept/:token" component={InvitationPage} />
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
