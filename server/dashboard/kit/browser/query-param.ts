import { useLocation } from 'preact-iso/router';

/**
 * A part of the state of a page that its address holds, so that a link leads to the same view.
 *
 * @param fallback the value that the address leaves out
 * @returns the value, and a function that changes it; `push` adds an entry to the history
 */
export function useQueryParam(
  name: string,
  fallback = '',
): readonly [string, (value: string, options?: { push?: boolean }) => void] {
  const { query, route } = useLocation();
  const set = (value: string, { push = false } = {}) => {
    const url = new URL(location.href);
    if (value === fallback) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    route(`${url.pathname}${url.search}`, !push);
  };
  return [query[name] ?? fallback, set];
}
