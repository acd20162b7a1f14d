// The first script of a page. It is small. While the other scripts arrive, it sends what the page reads first, and then
// applies the theme: the first read of the browser's storage blocks for some milliseconds.
import { readEarly } from './data/early-reads.js';
import { listQuery, readView } from './pages/memories/list-query.js';
import { applyTheme } from './shell/theme.js';

const PAGE = /^\/(?:o\/([^/]+)(?:\/([^/]+).*)?)?$/;

const match = PAGE.exec(location.pathname);
if (match) {
  const [, organizationId, page] = match;
  // The start page finds out which organization it opens.
  readEarly('/api/session', page === undefined ? undefined : organizationId);
  if (page === 'memories') readEarly(`/api/organization/memories?${parametersOfList()}`, organizationId);
}
applyTheme();

/** The parameters of the first page of the list, as the client sends them: filters are JSON. */
function parametersOfList(): URLSearchParams {
  const view = readView(Object.fromEntries(new URLSearchParams(location.search)));
  return new URLSearchParams(Object.entries(listQuery(view, '')).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
