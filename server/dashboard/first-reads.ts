import type { QueryClient } from '@tanstack/preact-query';
import { BARE_PAGES } from './bare-pages.js';
import { sessionRead } from './data/session.js';
import { readView } from './pages/memories/list-query.js';
import { listRead } from './pages/memories/list-read.js';
import { PAGES } from './pages.js';
import { pathOf } from './shell/page.js';

const PAGE = /^\/o\/([^/]+)(\/[^/]+)/;
/** Long enough for the page to be rendered and to take over what was read for it. */
const KEPT_MS = 1_000;

/**
 * Loads the script of the page in the address and reads the session, so that the page is rendered once and complete. The
 * first memories are included if they are there by then. A read that fails is sent again by the page, which shows its
 * failure.
 */
export async function readFirst(queries: QueryClient): Promise<void> {
  const [, organizationId, path = ''] = PAGE.exec(location.pathname) ?? [];
  const page = [...PAGES, ...BARE_PAGES].find((each) => (path || location.pathname).startsWith(pathOf(each)));
  if (organizationId !== undefined && path === '/memories') {
    const view = readView(Object.fromEntries(new URLSearchParams(location.search)));
    void queries.prefetchInfiniteQuery({ ...listRead(organizationId, view), gcTime: KEPT_MS });
  }
  await Promise.allSettled([
    organizationId !== undefined && queries.prefetchQuery(sessionRead(organizationId)),
    page?.component.preload(),
  ]);
}
