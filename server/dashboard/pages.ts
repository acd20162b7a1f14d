import { lazy } from 'preact-iso';
import type { Page } from './shell/page.js';

/** The pages of an organization, in the order of the navigation. A page adds one entry here. */
export const PAGES: readonly Page[] = [
  {
    title: 'Overview',
    path: '/overview',
    keys: 'g o',
    needs: 'getMemoryStats',
    component: lazy(() => import('./pages/overview/overview-page.js').then((module) => module.OverviewPage)),
  },
  {
    title: 'API keys',
    path: '/api-keys',
    keys: 'g k',
    needs: 'listTokens',
    component: lazy(() => import('./pages/api-keys/api-keys-page.js').then((module) => module.ApiKeysPage)),
  },
  {
    title: 'Team',
    path: '/team',
    keys: 'g t',
    needs: 'listMembers',
    component: lazy(() => import('./pages/team/team-page.js').then((module) => module.TeamPage)),
  },
  {
    title: 'Settings',
    path: '/settings',
    keys: 'g e',
    needs: 'getOrganizationSettings',
    component: lazy(() => import('./pages/settings/settings-page.js').then((module) => module.SettingsPage)),
  },
  {
    title: 'Your account',
    path: '/account',
    keys: 'g y',
    needs: 'listSessions',
    isPersonal: true,
    component: lazy(() => import('./pages/account/account-page.js').then((module) => module.AccountPage)),
  },
];
