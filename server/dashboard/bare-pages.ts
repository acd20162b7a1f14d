import { lazyPage } from './shell/lazy-page.js';

/** The pages outside of an organization that have a script of their own. */
export const BARE_PAGES = [
  {
    path: '/sign-in',
    component: lazyPage(() => import('./pages/sign-in/sign-in-page.js').then((module) => module.SignInPage)),
  },
  {
    path: '/password-reset',
    component: lazyPage(() =>
      import('./pages/password-reset/password-reset-page.js').then((module) => module.PasswordResetPage),
    ),
  },
  {
    path: '/welcome',
    component: lazyPage(() => import('./pages/welcome/welcome-page.js').then((module) => module.WelcomePage)),
  },
  {
    path: '/invitations/accept/:token',
    component: lazyPage(() => import('./pages/invitation/invitation-page.js').then((module) => module.InvitationPage)),
  },
];
