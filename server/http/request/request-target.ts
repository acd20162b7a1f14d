interface RequestTarget {
  /** Percent-encoded. */
  path: string;
  /** Without its question mark; empty when there is none. */
  query: string;
}

/** Parts a request target as it was sent, an absolute one too. Takes any text. */
export function parseTarget(url: string): RequestTarget {
  const local = url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  return mark < 0 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}
