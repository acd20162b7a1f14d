import { MemoryConnectionError, notFound, toApiError, UnreadableAnswerError } from '../errors.js';
import { type Client, createHttpClient, type HttpHeaders, type TypedResponse } from '../http/http-client.js';
import { CREDENTIALS, type OperationName, REPEATS } from '../operations.js';
import type { CallOptions, MemoryClientOptions, RequestOptions } from '../options.js';
import { VERSION } from '../version.js';
import { type Answer, type ApiCall, type PagedCall, type Paging, toApiCall, toPagedCall } from './calls.js';
import { type Accepts, Credentials } from './credentials.js';
import { connectionOf, trimSlashes, userAgent } from './environment.js';
import { type AttemptReport, Log, reportOf } from './logging.js';
import { isLost, mayRepeat, type Repeat, retryDelayMs, wait } from './retry.js';
import { TimeLimit } from './time-limit.js';

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

/** How to send a call, and how to name it in the log. */
interface Sending {
  operation: string;
  repeat: Repeat;
  accepts: Accepts | undefined;
}

/** Options of a client that shares the session of another one. */
interface SharedOptions extends MemoryClientOptions {
  credentials?: Credentials | undefined;
}

/** Sends calls, with the timeouts and retries of the client's options. */
export class Transport {
  readonly credentials: Credentials;
  readonly #options: MemoryClientOptions;
  readonly #log: Log;
  readonly #baseUrl: string;
  readonly #headers: HttpHeaders;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #limits: Required<{ [Name in 'timeoutMs' | 'maxRetries' | 'maxRetryDelayMs']: number }>;

  /** @throws {TypeError} if the base URL is missing or not valid, or the token is not a valid header value */
  constructor({ credentials, ...options }: SharedOptions) {
    const { baseUrl, token, organizationId } = connectionOf(options);
    this.credentials = credentials ?? new Credentials(token);
    this.#options = { ...options, baseUrl, token, organizationId };
    this.#log = new Log(options);
    this.#baseUrl = baseUrlOf(baseUrl);
    this.#headers = { 'User-Agent': userAgent(VERSION), 'X-Organization-Id': organizationId, ...options.headers };
    const { fetch, fetchOptions } = options;
    // Called without a receiver: the fetch of a browser rejects any but its window.
    this.#fetch = async (request) => (fetch ?? globalThis.fetch)(request, fetchOptions);
    this.#limits = {
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      maxRetryDelayMs: options.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS,
    };
  }

  /** Returns the options of another client. It keeps the credential unless it gets another token or `baseUrl`. */
  optionsWith(changes: MemoryClientOptions): SharedOptions {
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const headers = { ...this.#options.headers, ...changes.headers };
    const { baseUrl, token, organizationId, ...kept } = this.#options;
    const isElsewhere = changes.baseUrl !== undefined && baseUrlOf(changes.baseUrl) !== this.#baseUrl;
    if (isElsewhere) return { ...kept, ...given, headers };
    const credentials = changes.token === undefined ? this.credentials : undefined;
    return { ...this.#options, credentials, ...given, headers };
  }

  /** Sends a request that no method makes. @throws {TypeError} if the path does not start with a slash */
  request<T>(method: string, path: string, { query = {}, body, ...options }: RequestOptions): ApiCall<T> {
    const sending = {
      operation: `${method} ${path.split('?')[0]}`,
      repeat: method === 'GET' ? 'always' : 'refused',
      accepts: undefined,
    } as const;
    const send = async ({ client, headers }: Attempt) => {
      // Without a slash, the path could change the host.
      if (!path.startsWith('/')) throw new TypeError('the path of a request must start with /');
      return client.send(method, {
        url: path,
        query,
        body,
        headers: { 'Content-Type': 'application/json', ...headers },
      });
    };
    return toApiCall(this.#repeat(sending, options, send, parseIfJson<T>));
  }

  /** Calls an operation whose response is JSON. */
  call<T>(operation: OperationName, options: CallOptions, send: Send<T>, repeat?: Repeat): ApiCall<T> {
    return this.callFor<T>(operation, options, send, parse, repeat);
  }

  /** Calls an operation whose response `decode` reads. */
  callFor<T>(
    operation: OperationName,
    options: CallOptions,
    send: Send<unknown>,
    decode: Decode<T>,
    repeat: Repeat = REPEATS[operation],
  ): ApiCall<T> {
    const sending = { operation, repeat, accepts: CREDENTIALS[operation] };
    return toApiCall(this.#repeat(sending, options, send, decode));
  }

  /** Calls an operation whose response is a page of a list. */
  list<Page, Item, Query extends { cursor?: string | undefined }>(
    paging: Omit<Paging<Page, Item>, 'readPage'>,
    query: Query,
    read: (query: Query) => ApiCall<Page>,
  ): PagedCall<Page, Item> {
    return toPagedCall(read(query), { ...paging, readPage: (cursor) => read({ ...query, cursor }) });
  }

  async #repeat<T>(sending: Sending, options: CallOptions, send: Send<unknown>, decode: Decode<T>): Promise<Answer<T>> {
    const { operation, repeat } = sending;
    let mayHaveHappened = false;
    for (let attempt = 1; ; attempt += 1) {
      options.signal?.throwIfAborted();
      const startedAt = Date.now();
      const report = () => ({ operation, attempt, durationMs: Date.now() - startedAt });
      try {
        const { response, text } = await this.#exchange(sending.accepts, options, send);
        const isGone = repeat === 'until-gone' && mayHaveHappened && response.status === 404;
        if (!response.ok && !isGone) throw toApiError(response, text);
        const answer = answerOf(decode(isGone ? '' : text, response), response);
        this.#log.write('debug', { ...report(), status: response.status, requestId: answer.requestId });
        return answer;
      } catch (error) {
        const delayMs = this.#delayAfter(error, attempt, repeat, options);
        this.#tell(error, { ...report(), delayMs }, repeat);
        if (delayMs === undefined) throw error;
        mayHaveHappened ||= isLost(error);
        await wait(delayMs, options.signal);
      }
    }
  }

  /** Reports the failure of an attempt to the log and, before a retry, to the caller. */
  #tell(error: unknown, report: AttemptReport, repeat: Repeat): void {
    const { operation, attempt, delayMs } = report;
    const isRetried = delayMs !== undefined;
    const level = mayRepeat(error, repeat) ? 'warn' : 'debug';
    this.#log.write(isRetried ? 'info' : level, { ...report, ...reportOf(error) });
    if (isRetried) this.#options.onRetry?.({ operation, attempt, delayMs, error });
  }

  /** Returns the delay before the next attempt, or undefined if there is none. */
  #delayAfter(error: unknown, tried: number, repeat: Repeat, options: CallOptions): number | undefined {
    const { maxRetries, maxRetryDelayMs } = this.#limits;
    if (options.signal?.aborted || tried > (options.maxRetries ?? maxRetries)) return undefined;
    return mayRepeat(error, repeat) ? retryDelayMs(error, tried, maxRetryDelayMs) : undefined;
  }

  /** Sends one request and reads its response. @throws {MemoryConnectionError} if the response is incomplete */
  async #exchange(
    accepts: Accepts | undefined,
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
        authorize: (headers, method) => this.credentials.addTo(headers, method, accepts),
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

/** Decodes any response: JSON to its value, no body to undefined, anything else to its text. */
function parseIfJson<T>(text: string, { headers }: Response): T {
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(headers.get('Content-Type') ?? '');
  return isJson ? parse(text) : ((text === '' ? undefined : text) as T);
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
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new TypeError(`baseUrl must be a URL that starts with http:// or https://, not ${JSON.stringify(url)}`);
  }
  return trimSlashes(url);
}
