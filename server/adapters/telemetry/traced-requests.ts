import type { HttpSender } from '../../ports/http-sender.js';
import { type Tracing, traced } from '../../ports/tracing.js';

/** Returns a sender with a span for each delivery, which passes the trace on to the endpoint. */
export function tracedSender(sender: HttpSender, tracing: Tracing): HttpSender {
  return {
    post: (request) =>
      traced(
        tracing,
        { kind: 'call', name: 'deliver', attributes: { 'http.request.method': 'POST' } },
        () => sender.post({ ...request, headers: { ...request.headers, ...tracing.headers() } }),
        (sent) =>
          'failure' in sent
            ? { errorType: sent.failure }
            : {
                attributes: { 'http.response.status_code': sent.status },
                ...(sent.status >= 300 && { errorType: String(sent.status) }),
              },
      ),
  };
}

/** Returns `fetch` that passes the trace on. */
export function tracedFetch(tracing: Tracing): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    for (const [name, value] of Object.entries(tracing.headers())) headers.set(name, value);
    return fetch(input, { ...init, headers });
  };
}
