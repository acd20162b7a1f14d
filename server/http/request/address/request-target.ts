interface RequestTarget {
  /** Percent-encoded. */
  path: string;
  /** Without the question mark; empty if there is none. */
  query: string;
}

/** Splits an unmodified request target, relative or absolute. Accepts any text. */
export function parseTarget(url: string): RequestTarget {
  const local = url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  return mark < 0 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}
