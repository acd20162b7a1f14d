import type { Filter } from '@memory-service/sdk';
import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePlace } from '../../data/organization.js';
import { readView } from './list-query.js';

/** `changed` sorts by `updatedAt`, the others by `createdAt`. */
export type Sort = 'newest' | 'oldest' | 'changed';

/** The state of the list. It is in the address of the page. */
export interface View {
  filter: Filter;
  /** RFC 3339; empty if there is no bound. */
  since: string;
  until: string;
  sort: Sort;
  onlyDeleted: boolean;
}

export interface ViewControl {
  view: View;
  /** @param closes leaves the memory that is open, so that the list is in view on a narrow screen too */
  change: (change: Partial<View>, closes?: boolean) => void;
  /** Returns the address of a memory, or of the list alone, in this view. */
  addressOf: (id?: string) => string;
}

/** The keys that a filter names itself. All others are in its `match`. */
const NAMED = ['agentId', 'source', 'surface', 'project', 'kind', 'documentId'] as const;

export function useView(): ViewControl {
  const { url, query, route } = useLocation();
  const { href } = usePlace();
  const view = useMemo(() => readView(query), [query.filter, query.since, query.until, query.sort, query.deleted]);
  const change = useCallback(
    (part: Partial<View>, closes = false) => {
      const { filter, since, until, sort, onlyDeleted } = { ...view, ...part };
      const next = new URL(url, location.origin);
      const set = (name: string, value: string) =>
        value === '' ? next.searchParams.delete(name) : next.searchParams.set(name, value);
      set('filter', Object.keys(filter).length === 0 ? '' : JSON.stringify(filter));
      set('since', since);
      set('until', until);
      set('sort', sort === 'newest' ? '' : sort);
      set('deleted', onlyDeleted ? 'only' : '');
      route(`${closes ? href('/memories') : next.pathname}${next.search}`, !closes);
    },
    [view, url, href, route],
  );
  const { search } = new URL(url, location.origin);
  // The rows are rendered again only if it changes.
  const addressOf = useCallback(
    (id?: string) => `${href(id === undefined ? '/memories' : `/memories/${id}`)}${search}`,
    [href, search],
  );
  return { view, change, addressOf };
}

/** Reports if the view leaves memories out that the plain list shows. */
export function isNarrowed({ filter, since, until, onlyDeleted }: View): boolean {
  return Object.keys(filter).length > 0 || since !== '' || until !== '' || onlyDeleted;
}

type Scalar = string | number | boolean | null;

/** Adds a condition, in the place of one on the same key. */
export function withCondition(filter: Filter, key: string, value: Scalar): Filter {
  const rest = withoutCondition(filter, key);
  if (key === 'subjectKey' && (typeof value === 'string' || typeof value === 'number')) {
    return { ...rest, subjectKey: value };
  }
  if (typeof value === 'string' && NAMED.some((name) => name === key)) return { ...rest, [key]: value };
  return { ...rest, match: { ...rest.match, [key]: value } };
}

export function withoutCondition(filter: Filter, key: string): Filter {
  const { match = {}, where, ...named } = filter;
  const keepsOther = ([name]: [string, unknown]) => name !== key;
  const kept = Object.fromEntries(Object.entries(match).filter(keepsOther));
  return {
    ...Object.fromEntries(Object.entries(named).filter(keepsOther)),
    ...(Object.keys(kept).length > 0 && { match: kept }),
    ...(where && { where }),
  };
}

/** Removes the comparisons of one key. */
export function withoutComparison({ where = {}, ...filter }: Filter, key: string): Filter {
  const kept = Object.entries(where).filter(([name]) => name !== key);
  return { ...filter, ...(kept.length > 0 && { where: Object.fromEntries(kept) }) };
}

/** Lists the equalities of a filter as keys and values. */
export function conditionsOf({ match = {}, where: _, ...named }: Filter): { key: string; value: Scalar }[] {
  return Object.entries({ ...named, ...match }).map(([key, value = null]) => ({ key, value }));
}
