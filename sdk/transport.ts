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

/** Methods of the operations in the contract. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;

/** What every generated function is given: a client of one's own, errors thrown, bodies left to be read here. */
export interface Attempt {
  client: Client;
  throwOnError: true;
  parseAs: 'stream';
  fetch: typeof fetch;
  signal: AbortSignal;
  headers: Record<string, string>;
}

/** What a generated function resolves to; `data` tells the type, the body is still to be read. */
interface Sent<T> {
  data: T;
  request: Request;
  response: Response;
}

/** Calls a generated function, once. */
type Send<T> = (attempt: Attempt) => Promise<Sent<T>>;

/** Makes the data of a call from the text of an answer. */
type Decode<T> = (text: string, response: Response) => T;

/** Sends calls, one or more times, in the time and in the way that the client's options allow. */
export class Transport {
  readonly credentials: Credentials;
  readonly #client: Client;
  readonly #fetch: typeof fetch;
  readonly #limits: Required<{ [Name in 'timeoutMs' | 'maxRetries' | 'maxRetryDelayMs']: number }>;

  /** @throws {TypeError} when there is no base URL, or the token cannot be sent */
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

  /** Carries out an operation whose answer is JSON. */
  call<T>(operation: OperationName, options: CallOptions, send: Send<T>): ApiCall<T> {
    return this.callFor<T>(operation, options, send, parse);
  }

  /** Carries out an operation whose answer is something else, which `decode` reads. */
  callFor<T>(operation: OperationName, options: CallOptions, send: Send<unknown>, decode: Decode<T>): ApiCall<T> {
    return toApiCall(this.#repeat(operation, options, send, decode));
  }

  /** Carries out an operation whose answer is a page of a list. */
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

  /** How long to wait before the next try; undefined when there is none. */
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

/** One request, and the answer to it, also where that is a failure. */
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

/** Ends at the caller's signal or after a time, whichever comes first. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #caller: AbortSignal | undefined;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#timer = setTimeout(() => {
      this.#controller.abort(new MemoryTimeoutError(`no whole answer within ${timeoutMs} ms`));
    }, timeoutMs);
    caller?.addEventListener('abort', this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops looking at either. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#stop);
  }

  readonly #stop = (): void => this.#controller.abort(this.#caller?.reason);
}

/**
 * Creates a client that never passes itself to `new Request`: the generated functions name it among the options of a
 * request, and Deno rejects any `client` there that is not one of Deno's own.
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

/** @throws {UnreadableAnswerError} for text that is not JSON: it comes from something else on the way */
export function parse<T>(text: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableAnswerError('the answer is not one of the memory service', { cause });
  }
}

/** For answers without a body. */
export function nothing(): void {}

/** A time as it is sent. */
export function timeOf<Time extends string | Date | undefined>(time: Time): Exclude<Time, Date> | string {
  return time instanceof Date ? time.toISOString() : (time as Exclude<Time, Date>);
}

/** Ids have digits. A path with a word in the place of an id can be the path of another operation. */
const NO_ID = /^[a-z._-]*$/i;

/**
 * Checks an id before it becomes a part of a path.
 *
 * @throws {NotFoundError} for a word that would make the path of another operation, such as `stats`
 */
export function idOf(id: string): string {
  if (!NO_ID.test(id)) return id;
  const error = 'Not found';
  throw new NotFoundError({ status: 404, message: error, details: [], body: { error } });
}

/** Checks a text of users before it becomes a part of a path. @throws {NotFoundError} for what would change the path */
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

/** @throws {MemoryConnectionError} when the body breaks off */
async function readText(request: Request, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw explainSilence(cause, request);
  }
}

function explainSilence(cause: unknown, request: Request): unknown {
  if (request.signal.aborted) return request.signal.reason;
  return new MemoryConnectionError(`no answer from ${new URL(request.url).origin}`, { cause });
}

/** A query as it is sent: a filter as JSON, so that types survive. */
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
  if (url === undefined) throw new TypeError('baseUrl is needed: pass it, or set MEMORY_BASE_URL');
  if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError('baseUrl must start with http:// or https://');
  return trimSlashes(url);
}
