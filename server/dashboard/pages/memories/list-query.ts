import type { BrowseQuery, Filter } from '@memory-service/sdk';
import type { View } from './view.js';

/** Characters of a content that a row shows. */
export const PREVIEW = 200;
/** Rows of the first page: enough for any window, and soon there. */
const FIRST_ROWS = 100;
/** The most that the service returns. */
export const PAGE_ROWS = 200;

/** The request for a page of the list. An empty cursor stands for the first page. */
export function listQuery(view: View, cursor: string): BrowseQuery {
  const page = cursor === '' ? { limit: FIRST_ROWS } : { limit: PAGE_ROWS, cursor };
  return { ...queryOf(view), ...page, preview: PREVIEW };
}

/** The part of a request that the view decides. Lists and counts share it. */
export function queryOf({ filter, since, until, sort, onlyDeleted }: View): BrowseQuery {
  return {
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
    ...(onlyDeleted && { onlyDeleted }),
    sort: sort === 'changed' ? 'updatedAt' : 'createdAt',
    direction: sort === 'oldest' ? 'asc' : 'desc',
  };
}

/** Reads the view from the parameters of an address. */
export function readView(query: Readonly<Record<string, string | undefined>>): View {
  return {
    filter: readFilter(query.filter),
    since: query.since ?? '',
    until: query.until ?? '',
    sort: query.sort === 'oldest' || query.sort === 'changed' ? query.sort : 'newest',
    onlyDeleted: query.deleted === 'only',
  };
}

/** The service rejects a filter in the address that is not valid. */
function readFilter(text: string | undefined): Filter {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Filter) : {};
  } catch {
    return {};
  }
}
