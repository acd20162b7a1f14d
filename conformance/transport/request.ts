import type { Request } from './paced.js';

type Headers = Record<string, string>;

export interface Sending {
  /** Instead of any token of the run; null sends none. */
  token?: string | null;
  headers?: Headers;
  /** An object is sent as JSON text; undefined members are left out. */
  query?: Record<string, unknown>;
}

/** A request without its credential. A string is sent as it is, anything else as JSON. */
export function toRequest(
  method: string,
  path: string,
  body: unknown,
  { headers, query }: Pick<Sending, 'headers' | 'query'>,
): Request {
  const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return {
    method,
    path: `${path}${toQueryString(query)}`,
    headers: { ...type, ...headers },
    ...(text !== undefined && { body: text }),
  };
}

function toQueryString(query: Record<string, unknown> = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = entries.map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}
