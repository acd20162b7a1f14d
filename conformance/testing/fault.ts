import type { Request, Transport } from '../transport/paced.js';

/** A request on its way, its JSON read. */
export interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  raw: string | undefined;
}

/** An answer on its way back. `json` is undefined where the text is no JSON. */
export interface Returned {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown> | undefined;
}

/** A deliberate breach: sees a request, and forwards it or not, changed or not. */
export type Fault = (sent: Sent, forward: (sent: Sent) => Promise<Returned>) => Promise<Returned>;

/** The deployment behind a proxy that commits the fault. */
export function broken(transport: Transport, fault: Fault): Transport {
  const forward = async (sent: Sent) => toReturned(await transport(toRequest(sent)));
  return async (request) => toResponse(await fault(toSent(request), forward));
}

/** Commits the fault where `METHOD path` is asked for; `*` stands for one segment or the method, `**` for anything. */
export function on(operation: string, fault: Fault): Fault {
  const pattern = new RegExp(
    `^${operation.replace(/[.]/g, '\\.').replaceAll('**', '\0').replaceAll('*', '[^/ ]+').replaceAll('\0', '.*')}$`,
  );
  return (sent, forward) => (pattern.test(`${sent.method} ${sent.path}`) ? fault(sent, forward) : forward(sent));
}

/** All of these faults, the first closest to the client. */
export function all(...faults: readonly Fault[]): Fault {
  return faults.reduceRight<Fault>(
    (inner, fault) => (sent, forward) => fault(sent, (changed) => inner(changed, forward)),
    (sent, forward) => forward(sent),
  );
}

/** Answers with another status. */
export function status(from: number, to: number): Fault {
  return answering((returned) => {
    if (returned.status === from) returned.status = to;
  });
}

/** Changes answers after the deployment has made them. */
export function answering(change: (returned: Returned, sent: Sent) => void): Fault {
  return async (sent, forward) => {
    const returned = await forward(sent);
    change(returned, sent);
    return returned;
  };
}

/** Changes the JSON of successful answers. */
export function body(change: (json: Record<string, unknown>, sent: Sent) => void): Fault {
  return answering((returned, sent) => {
    if (returned.json && returned.status < 300) change(returned.json, sent);
  });
}

/** Changes the JSON of rejections. */
export function refusal(change: (json: Record<string, unknown>, sent: Sent) => void): Fault {
  return answering((returned, sent) => {
    if (returned.json && returned.status >= 400) change(returned.json, sent);
  });
}

/** Changes the memories of a listing, of a page, of a search or of an export. */
export function memories(change: (list: Record<string, unknown>[], sent: Sent) => Record<string, unknown>[]): Fault {
  return answering((returned, sent) => {
    if (returned.status !== 200) return;
    const key = ['results', 'changes', 'memories'].find((name) => Array.isArray(returned.json?.[name]));
    if (returned.json && key) returned.json[key] = change(returned.json[key] as Record<string, unknown>[], sent);
    if (returned.headers.get('content-type')?.includes('ndjson')) {
      const lines = returned.text.split('\n').filter((line) => line !== '');
      const list = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      returned.text = change(list, sent)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    }
  });
}

/** Changes requests before the deployment sees them. */
export function sending(change: (sent: Sent) => void): Fault {
  return (sent, forward) => {
    const changed = { ...sent, query: new URLSearchParams(sent.query), body: structuredClone(sent.body) };
    changed.headers = { ...sent.headers };
    change(changed);
    return forward(changed);
  };
}

/** Ignores query parameters and fields of the body. */
export function overlooks(...names: readonly string[]): Fault {
  return sending(({ query, body: sentBody }) => {
    for (const name of names) {
      query.delete(name);
      delete sentBody[name];
    }
  });
}

/** Takes what it should refuse: a refusal with this status becomes the answer given here. */
export function accepts(from: number, to: number, json: Record<string, unknown>): Fault {
  return answering((returned, sent) => {
    if (returned.status !== from) return;
    returned.status = to;
    returned.json = { ...json, ...(json.content === undefined ? {} : { content: sent.body.content ?? json.content }) };
  });
}

/** Does nothing and answers like this. */
export function pretends(to: number, json?: Record<string, unknown>, headers: Record<string, string> = {}): Fault {
  return async () => ({ status: to, headers: new Headers(headers), text: '', json });
}

function toSent({ method, path, headers, body: text }: Request): Sent {
  const [bare = '', query = ''] = path.split('?');
  return { method, path: bare, query: new URLSearchParams(query), headers, body: toObject(text) ?? {}, raw: text };
}

function toRequest({ method, path, query, headers, body: json, raw }: Sent): Request {
  const text = query.toString();
  const changed = raw !== undefined && toObject(raw) ? JSON.stringify(json) : raw;
  return {
    method,
    path: text === '' ? path : `${path}?${text}`,
    headers,
    ...(changed !== undefined && { body: changed }),
  };
}

async function toReturned(response: Response): Promise<Returned> {
  const text = await response.text();
  const headers = new Headers(response.headers);
  const json = headers.get('content-type')?.includes('application/json') ? toObject(text) : undefined;
  return { status: response.status, headers, text, json };
}

function toResponse({ status: code, headers, text, json }: Returned): Response {
  headers.delete('content-length');
  const payload = json === undefined ? text : JSON.stringify(json);
  if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return new Response(code === 204 || payload === '' ? null : payload, { status: code, headers });
}

function toObject(text: string | undefined): Record<string, unknown> | undefined {
  if (!text?.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
