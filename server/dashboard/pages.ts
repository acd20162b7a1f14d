import { lazyPage } from './shell/lazy-page.js';
import type { Page } from './shell/page.js';

/** The pages of an organization, in the order of the navigation. A page adds one entry here. */
export const PAGES: readonly Page[] = [
  {
    title: 'Overview',
    path: '/overview',
    keys: 'g o',
    needs: 'getMemoryStats',
    component: lazyPage(() => import('./pages/overview/overview-page.js').then((module) => module.OverviewPage)),
  },
  {
    title: 'Memories',
    path: '/memories/:memoryId?',
    keys: 'g m',
    needs: 'listMemories',
    component: lazyPage(() => import('./pages/memories/memories-page.js').then((module) => module.MemoriesPage)),
  },
  {
    title: 'Search',
    path: '/search',
    keys: 'g s',
    needs: 'searchMemories',
    component: lazyPage(() => import('./pages/search/search-page.js').then((module) => module.SearchPage)),
  },
  {
    title: 'Documents',
    path: '/documents',
    keys: 'g d',
    needs: 'listDocuments',
    component: lazyPage(() => import('./pages/documents/documents-page.js').then((module) => module.DocumentsPage)),
  },
  {
    title: 'Changes',
    path: '/changes',
    keys: 'g c',
    needs: 'listMemories',
    component: lazyPage(() => import('./pages/changes/changes-page.js').then((module) => module.ChangesPage)),
  },
  {
    title: 'API keys',
    path: '/api-keys',
    keys: 'g k',
    needs: 'listTokens',
    component: lazyPage(() => import('./pages/api-keys/api-keys-page.js').then((module) => module.ApiKeysPage)),
  },
  {
    title: 'Team',
    path: '/team',
    keys: 'g t',
    needs: 'listMembers',
    component: lazyPage(() => import('./pages/team/team-page.js').then((module) => module.TeamPage)),
  },
  {
    title: 'Integrations',
    path: '/integrations/:side?/:webhookId?',
    keys: 'g i',
    needs: 'listOutboundWebhooks',
    component: lazyPage(() =>
      import('./pages/integrations/integrations-page.js').then((module) => module.IntegrationsPage),
    ),
  },
  {
    title: 'Audit',
    path: '/audit',
    keys: 'g a',
    needs: 'listAuditEvents',
    component: lazyPage(() => import('./pages/audit/audit-page.js').then((module) => module.AuditPage)),
  },
  {
    title: 'Usage',
    path: '/usage',
    keys: 'g u',
    needs: 'getUsage',
    component: lazyPage(() => import('./pages/usage/usage-page.js').then((module) => module.UsagePage)),
  },
  {
    title: 'Settings',
    path: '/settings',
    keys: 'g e',
    needs: 'getOrganizationSettings',
    component: lazyPage(() => import('./pages/settings/settings-page.js').then((module) => module.SettingsPage)),
  },
  {
    title: 'API reference',
    path: '/reference/:operationId?',
    keys: 'g r',
    needs: 'getContractJson',
    component: lazyPage(() => import('./pages/reference/reference-page.js').then((module) => module.ReferencePage)),
  },
  {
    title: 'Your account',
    path: '/account',
    keys: 'g y',
    needs: 'listSessions',
    isPersonal: true,
    component: lazyPage(() => import('./pages/account/account-page.js').then((module) => module.AccountPage)),
  },
];
