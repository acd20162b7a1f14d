import type { Context } from '../context.js';

export interface RequestTarget {
  /** Percent-encoded. */
  path: string;
  /** Without the question mark; empty if there is none. */
  query: string;
}

/** Returns the unmodified target of a request, which is parsed once. */
export function targetOf({ req, state }: Pick<Context, 'req' | 'state'>): RequestTarget {
  state.target ??= parseTarget(req.url ?? '');
  return state.target;
}

/** Splits an unmodified request target, relative or absolute. Accepts any text. */
export function parseTarget(url: string): RequestTarget {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  return mark < 0 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}
