import { type Answer, type ApiCall, type PagedCall, type Paging, toApiCall, toPagedCall } from './calls.js';
import { Credentials } from './credentials.js';
import { connectionOf, trimSlashes, userAgent } from './environment.js';
import {
  MemoryConnectionError,
  MemoryTimeoutError,
  NotFoundError,
  toApiError,
  UnreadableAnswerError,
} from './errors.js';
import { type Client, type Config, createClient, createConfig } from './generated/client/index.js';
import { type OperationName, REPEATS } from './operations.js';
import type { CallOptions, MemoryClientOptions } from './options.js';
import { isLost, mayRepeat, type Repeat, retryDelayMs, wait } from './retry.js';
import { VERSION } from './version.js';

/** HTTP methods of the contract. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;

/** The options of every generated function. It throws errors and leaves the body unread. */
export interface Attempt {
  client: Client;
  throwOnError: true;
  parseAs: 'stream';
  fetch: typeof fetch;
  signal: AbortSignal;
  headers: Record<string, string>;
}

/** The result of a generated function. `data` only carries the type: the body is still unread. */
interface Sent<T> {
  data: T;
  request: Request;
  response: Response;
}

/** Calls a generated function, once. */
type Send<T> = (attempt: Attempt) => Promise<Sent<T>>;

/** Decodes the data of a call from the body of its response. */
type Decode<T> = (text: string, response: Response) => T;

/** Sends calls, with the timeouts and retries of the client's options. */
export class Transport {
  readonly credentials: Credentials;
  readonly #client: Client;
  readonly #fetch: typeof fetch;
  readonly #limits: Required<{ [Name in 'timeoutMs' | 'maxRetries' | 'maxRetryDelayMs']: number }>;

  /** @throws {TypeError} if the base URL is missing or not valid, or the token is not a valid header value */
  constructor(options: MemoryClientOptions) {
    const { baseUrl, token, organizationId } = connectionOf(options);
    this.credentials = new Credentials(token);
    this.#fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    this.#limits = {
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      maxRetryDelayMs: options.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS,
    };
    this.#client = createPlainClient({
      baseUrl: baseUrlOf(baseUrl),
      auth: (place) => this.credentials.valueFor(place),
      headers: { 'User-Agent': userAgent(VERSION), 'X-Organization-Id': organizationId, ...options.headers },
      // The service never redirects, and following one would turn a POST into a GET.
      redirect: 'manual',
      querySerializer: toQueryString,
    });
    this.#client.interceptors.response.use(refuseFailure);
    this.#client.interceptors.error.use((error, _response, request) => explainSilence(error, request));
  }

  /** Calls an operation whose response is JSON. */
  call<T>(operation: OperationName, options: CallOptions, send: Send<T>): ApiCall<T> {
    return this.callFor<T>(operation, options, send, parse);
  }

  /** Calls an operation whose response `decode` reads. */
  callFor<T>(operation: OperationName, options: CallOptions, send: Send<unknown>, decode: Decode<T>): ApiCall<T> {
    return toApiCall(this.#repeat(operation, options, send, decode));
  }

  /** Calls an operation whose response is a page of a list. */
  list<Page, Item, Query extends { cursor?: string | undefined }>(
    paging: Omit<Paging<Page, Item>, 'readPage'>,
    query: Query,
    read: (query: Query) => ApiCall<Page>,
  ): PagedCall<Page, Item> {
    return toPagedCall(read(query), { ...paging, readPage: (cursor) => read({ ...query, cursor }) });
  }

  async #repeat<T>(
    operation: OperationName,
    options: CallOptions,
    send: Send<unknown>,
    decode: Decode<T>,
  ): Promise<Answer<T>> {
    const repeat = REPEATS[operation];
    let mayHaveHappened = false;
    for (let tried = 1; ; tried += 1) {
      options.signal?.throwIfAborted();
      const exchange = new Exchange(this.#fetch);
      try {
        return await this.#try(options, exchange, send, decode);
      } catch (error) {
        const isGone = repeat === 'until-gone' && mayHaveHappened && error instanceof NotFoundError;
        if (isGone && exchange.response) return answerOf(decode('', exchange.response), exchange.response);
        const delayMs = this.#delayAfter(error, tried, repeat, options);
        if (delayMs === undefined) throw error;
        mayHaveHappened ||= isLost(error);
        await wait(delayMs, options.signal);
      }
    }
  }

  /** Returns the delay before the next attempt, or undefined if there is none. */
  #delayAfter(error: unknown, tried: number, repeat: Repeat, options: CallOptions): number | undefined {
    const { maxRetries, maxRetryDelayMs } = this.#limits;
    if (options.signal?.aborted || tried > (options.maxRetries ?? maxRetries)) return undefined;
    return mayRepeat(error, repeat) ? retryDelayMs(error, tried, maxRetryDelayMs) : undefined;
  }

  async #try<T>(options: CallOptions, exchange: Exchange, send: Send<unknown>, decode: Decode<T>): Promise<Answer<T>> {
    const limit = new TimeLimit(options.timeoutMs ?? this.#limits.timeoutMs, options.signal);
    try {
      const { request, response } = await send({
        client: this.#client,
        throwOnError: true,
        parseAs: 'stream',
        fetch: exchange.fetch,
        signal: limit.signal,
        headers: { ...options.headers },
      });
      return answerOf(decode(await readText(request, response), response), response);
    } finally {
      limit.end();
    }
  }
}

/** Keeps the response to one request, so that it is known even if the call fails. */
class Exchange {
  response: Response | undefined;
  readonly #fetch: typeof fetch;

  constructor(send: typeof fetch) {
    this.#fetch = send;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    this.response = await this.#fetch(input, init);
    return this.response;
  };
}

/** Aborts at the caller's signal or after a time, whichever comes first. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #caller: AbortSignal | undefined;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new MemoryTimeoutError(`no complete response within ${timeoutMs} ms`));
    }, timeoutMs);
    caller?.addEventListener('abort', this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Releases the timer and the listener. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#stop);
  }

  readonly #stop = (): void => this.#controller.abort(this.#caller?.reason);
}

/**
 * Creates a client that never passes itself to `new Request`. The generated functions add it to the options of a request,
 * and Deno rejects any `client` there that is not its own.
 */
function createPlainClient(config: Config): Client {
  const client = createClient(createConfig(config));
  for (const method of METHODS) {
    const send = client[method];
    client[method] = (options) => send(withoutClient(options));
  }
  return client;
}

function withoutClient<Options extends object>(options: Options): Options {
  const plain = { ...options };
  Reflect.deleteProperty(plain, 'client');
  return plain;
}

function answerOf<T>(data: T, response: Response): Answer<T> {
  return { data, response, requestId: response.headers.get('X-Request-Id') ?? undefined };
}

/** @throws {UnreadableAnswerError} if the text is not JSON: it is for example the page of a proxy */
export function parse<T>(text: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableAnswerError('the response is not from the memory service: is baseUrl right?', { cause });
  }
}

/** Decodes a response without a body. */
export function nothing(): void {}

/** Converts a time to the form of a request. */
export function timeOf<Time extends string | Date | undefined>(time: Time): Exclude<Time, Date> | string {
  return time instanceof Date ? time.toISOString() : (time as Exclude<Time, Date>);
}

/** Ids contain digits. A path with a word instead of an id may be the path of another operation. */
const NO_ID = /^[a-z._-]*$/i;

/**
 * Checks an id before it becomes a segment of a path.
 *
 * @throws {NotFoundError} if it is a word, such as `stats`, that would make the path of another operation
 */
export function idOf(id: string): string {
  if (!NO_ID.test(id)) return id;
  const error = 'Not found';
  throw new NotFoundError({ status: 404, message: error, details: [], body: { error } });
}

/** Checks free text before it becomes a segment of a path. @throws {NotFoundError} if it would change the path */
export function segmentOf(text: string): string {
  return /^\.{0,2}$/.test(text) ? idOf('') : text;
}

async function refuseFailure(response: Response, request: Request): Promise<Response> {
  if (response.ok) return response;
  if (response.type === 'opaqueredirect' || isRedirect(response.status)) {
    throw new UnreadableAnswerError(`${new URL(request.url).origin} redirects elsewhere: is baseUrl right?`);
  }
  throw toApiError(response, await readText(request, response));
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** @throws {MemoryConnectionError} if the body is incomplete */
async function readText(request: Request, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw explainSilence(cause, request);
  }
}

function explainSilence(cause: unknown, request: Request): unknown {
  if (request.signal.aborted) return request.signal.reason;
  return new MemoryConnectionError(`no response from ${new URL(request.url).origin}`, { cause });
}

/** Encodes a query. Filters are sent as JSON, which keeps the types of their values. */
function toQueryString(query: Record<string, unknown>): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
    )
    .join('&');
}

function baseUrlOf(url: string | undefined): string {
  if (url === undefined) throw new TypeError('baseUrl is required: pass it, or set MEMORY_BASE_URL');
  if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError('baseUrl must start with http:// or https://');
  return trimSlashes(url);
}
