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
    title: 'Integrations',
    path: '/integrations/:side?/:webhookId?',
    keys: 'g i',
    needs: 'listOutboundWebhooks',
    component: lazy(() =>
      import('./pages/integrations/integrations-page.js').then((module) => module.IntegrationsPage),
    ),
  },
  {
    title: 'Audit',
    path: '/audit',
    keys: 'g a',
    needs: 'listAuditEvents',
    component: lazy(() => import('./pages/audit/audit-page.js').then((module) => module.AuditPage)),
  },
  {
    title: 'Usage',
    path: '/usage',
    keys: 'g u',
    needs: 'getUsage',
    component: lazy(() => import('./pages/usage/usage-page.js').then((module) => module.UsagePage)),
  },
];
