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
    title: 'Memories',
    path: '/memories/:memoryId?',
    keys: 'g m',
    needs: 'listMemories',
    component: lazy(() => import('./pages/memories/memories-page.js').then((module) => module.MemoriesPage)),
  },
  {
    title: 'Documents',
    path: '/documents',
    keys: 'g d',
    needs: 'listDocuments',
    component: lazy(() => import('./pages/documents/documents-page.js').then((module) => module.DocumentsPage)),
  },
];
