import { lazy } from 'preact-iso';

/** The pages outside of an organization that have a script of their own. */
export const BARE_PAGES = [
  {
    path: '/sign-in',
    component: lazy(() => import('./pages/sign-in/sign-in-page.js').then((module) => module.SignInPage)),
  },
  {
    path: '/password-reset',
    component: lazy(() =>
      import('./pages/password-reset/password-reset-page.js').then((module) => module.PasswordResetPage),
    ),
  },
  {
    path: '/welcome',
    component: lazy(() => import('./pages/welcome/welcome-page.js').then((module) => module.WelcomePage)),
  },
  {
    path: '/invitations/accept/:token',
    component: lazy(() => import('./pages/invitation/invitation-page.js').then((module) => module.InvitationPage)),
  },
];
