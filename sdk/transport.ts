import { type Answer, type ApiCall, type PagedCall, type Paging, toApiCall, toPagedCall } from './calls.js';
import { Credentials } from './credentials.js';
import { connectionOf, trimSlashes, userAgent } from './environment.js';
import { MemoryConnectionError, MemoryTimeoutError, notFound, toApiError, UnreadableAnswerError } from './errors.js';
import { type Client, createHttpClient, type HttpHeaders, type TypedResponse } from './http/http-client.js';
import { CREDENTIALS, type OperationName, REPEATS } from './operations.js';
import type { CallOptions, MemoryClientOptions } from './options.js';
import { isLost, mayRepeat, type Repeat, retryDelayMs, wait } from './retry.js';
import { VERSION } from './version.js';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;

/** Options of every generated function. */
export interface Attempt {
  client: Client;
  headers: HttpHeaders;
}

/** Calls a generated function, once. Its response is unread. */
type Send<T> = (attempt: Attempt) => Promise<TypedResponse<T>>;

/** Decodes the data of a call from the body of its response. */
type Decode<T> = (text: string, response: Response) => T;

/** Sends calls, with the timeouts and retries of the client's options. */
export class Transport {
  readonly credentials: Credentials;
  readonly #baseUrl: string;
  readonly #headers: HttpHeaders;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #limits: Required<{ [Name in 'timeoutMs' | 'maxRetries' | 'maxRetryDelayMs']: number }>;

  /** @throws {TypeError} if the base URL is missing or not valid, or the token is not a valid header value */
  constructor(options: MemoryClientOptions) {
    const { baseUrl, token, organizationId } = connectionOf(options);
    this.credentials = new Credentials(token);
    this.#baseUrl = baseUrlOf(baseUrl);
    this.#headers = { 'User-Agent': userAgent(VERSION), 'X-Organization-Id': organizationId, ...options.headers };
    const { fetch } = options;
    // Called without a receiver: the fetch of a browser rejects any but its window.
    this.#fetch = async (request) => (fetch ?? globalThis.fetch)(request);
    this.#limits = {
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      maxRetryDelayMs: options.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS,
    };
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
      try {
        const { response, text } = await this.#exchange(operation, options, send);
        const isGone = repeat === 'until-gone' && mayHaveHappened && response.status === 404;
        if (!response.ok && !isGone) throw toApiError(response, text);
        return answerOf(decode(isGone ? '' : text, response), response);
      } catch (error) {
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

  /** Sends one request and reads its response. @throws {MemoryConnectionError} if the response is incomplete */
  async #exchange(
    operation: OperationName,
    options: CallOptions,
    send: Send<unknown>,
  ): Promise<{ response: Response; text: string }> {
    const { origin } = new URL(this.#baseUrl);
    const limit = new TimeLimit(options.timeoutMs ?? this.#limits.timeoutMs, options.signal);
    const explain = (cause: unknown): never => {
      if (limit.signal.aborted) throw limit.signal.reason;
      throw new MemoryConnectionError(`no response from ${origin}`, { cause });
    };
    try {
      const client = createHttpClient({
        baseUrl: this.#baseUrl,
        headers: this.#headers,
        signal: limit.signal,
        authorize: (headers, method) => this.credentials.addTo(headers, method, CREDENTIALS[operation]),
        send: (request) => this.#fetch(request).catch(explain),
      });
      const response = await send({ client, headers: { ...options.headers } });
      if (isRedirect(response)) {
        throw new UnreadableAnswerError(`${origin} redirects elsewhere: is baseUrl right?`);
      }
      return { response, text: await response.text().catch(explain) };
    } finally {
      limit.end();
    }
  }
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
  throw notFound();
}

/** Checks free text before it becomes a segment of a path. @throws {NotFoundError} if it would change the path */
export function segmentOf(text: string): string {
  return /^\.{0,2}$/.test(text) ? idOf('') : text;
}

function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function baseUrlOf(url: string | undefined): string {
  if (url === undefined) throw new TypeError('baseUrl is required: pass it, or set MEMORY_BASE_URL');
  if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError('baseUrl must start with http:// or https://');
  return trimSlashes(url);
}
