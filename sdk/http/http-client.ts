/** Data of a generated function, as `types.gen.ts` describes it. */
export interface TDataShape {
  url: string;
  body?: unknown;
  headers?: unknown;
  path?: unknown;
  query?: unknown;
}

/** Options of a generated function, besides its client. */
export type Options<Data extends TDataShape, _ThrowOnError extends boolean, _Response> = Omit<
  Data,
  'headers' | 'url'
> & {
  headers?: HttpHeaders;
};

/** Headers by their names. Null removes a header, undefined keeps it. */
export type HttpHeaders = Readonly<Record<string, string | null | undefined>>;

/** A response whose JSON has a known type. */
export interface TypedResponse<Data> extends Response {
  json(): Promise<Data>;
}

/** The options that a generated function passes to its client. */
interface Call {
  url: string;
  path?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  headers?: HttpHeaders;
  body?: unknown;
}

type Method = <Responses, _Errors, _ThrowOnError extends boolean>(
  call: Call,
) => Promise<TypedResponse<Responses[keyof Responses]>>;

/** The client that generated functions call. */
export interface Client extends Readonly<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Method>> {
  /** Sends a call that no generated function makes. */
  send(method: string, call: Call): Promise<TypedResponse<unknown>>;
}

/** Describes how a client sends its requests. */
export interface ClientConfig {
  baseUrl: string;
  headers: HttpHeaders;
  signal: AbortSignal;
  /** Adds the credential to the headers of a request. */
  authorize(headers: Headers, method: string): Promise<void>;
  send(request: Request): Promise<Response>;
}

/** Creates a client that sends each call once and leaves the body of the response unread. */
export function createHttpClient(config: ClientConfig): Client {
  // `never` is any type of data: the contract states it, nothing here checks it.
  const send = async (name: string, call: Call) =>
    (await config.send(await toRequest(config, name, call))) as TypedResponse<never>;
  const method = (name: string) => (call: Call) => send(name, call);
  return {
    send,
    get: method('GET'),
    post: method('POST'),
    put: method('PUT'),
    patch: method('PATCH'),
    delete: method('DELETE'),
  };
}

async function toRequest(config: ClientConfig, method: string, call: Call): Promise<Request> {
  const headers = mergeHeaders(config.headers, call.headers);
  const hasBody = call.body !== undefined;
  if (!hasBody) headers.delete('Content-Type');
  await config.authorize(headers, method);
  return new Request(config.baseUrl + toPath(call), {
    method,
    headers,
    body: hasBody ? JSON.stringify(call.body) : null,
    signal: config.signal,
    // The service never redirects, and following one would turn a POST into a GET.
    redirect: 'manual',
  });
}

function mergeHeaders(...groups: (HttpHeaders | undefined)[]): Headers {
  const merged = new Headers();
  for (const [name, value] of groups.flatMap((group) => Object.entries(group ?? {}))) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, value);
  }
  return merged;
}

/** Fills in the parameters of the path, and appends the query. */
function toPath({ url, path = {}, query = {} }: Call): string {
  const filled = url.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(String(path[name])));
  const search = toQueryString(query);
  return search ? `${filled}?${search}` : filled;
}

/** Encodes a query. Filters are sent as JSON, which keeps the types of their values. */
function toQueryString(query: Readonly<Record<string, unknown>>): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
    )
    .join('&');
}
