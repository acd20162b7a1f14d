import { MemoryConnectionError, toApiError } from './errors.js';
import { type Client, createClient, createConfig } from './generated/client/index.js';
import type { MemoryClientOptions, PageOptions } from './options.js';

/** What every generated function is given: a client of one's own, errors thrown, bodies left for `read` to parse. */
export interface Transport {
  client: Client;
  throwOnError: true;
  parseAs: 'stream';
}

interface Sent<T> {
  data: T;
  request: Request;
  response: Response;
}

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/** @throws {TypeError} when there is no base URL, or the token cannot be sent */
export function openTransport(options: MemoryClientOptions): Transport {
  const client = createClient(
    createConfig({
      baseUrl: baseUrlOf(options.baseUrl ?? environment('MEMORY_BASE_URL')),
      auth: tokenOf(options.token ?? environment('MEMORY_TOKEN')),
      headers: { 'X-Organization-Id': options.organizationId ?? environment('MEMORY_ORGANIZATION_ID') },
      // The service never redirects, and following one would turn a POST into a GET.
      redirect: 'error',
      ...(options.fetch && { fetch: options.fetch }),
    }),
  );
  client.interceptors.response.use(refuseFailure);
  client.interceptors.error.use((error, _response, request) => explainSilence(error, request));
  return { client, throwOnError: true, parseAs: 'stream' };
}

/**
 * The JSON body of an answer.
 *
 * @throws {MemoryConnectionError} when it breaks off or is no JSON
 */
export async function read<T>(sent: Promise<Sent<T>>): Promise<T> {
  return parse<T>(await readText(await sent));
}

/** @throws {MemoryConnectionError} when the body breaks off */
export async function readText({ request, response }: Pick<Sent<unknown>, 'request' | 'response'>): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw explainSilence(cause, request);
  }
}

/** @throws {MemoryConnectionError} for text that is not JSON: it comes from something else on the way */
export function parse<T>(text: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MemoryConnectionError('the answer is not one of the memory service', { cause });
  }
}

/** The query string of a read; what is undefined is left out of it. */
export function queryOf({ limit, cursor, filter, includeDeleted }: PageOptions) {
  return { limit, cursor, filter: filter && JSON.stringify(filter), includeDeleted };
}

/** @throws {TypeError} for the words that would make another path than that of a memory */
export function pathOf(id: string): { id: string } {
  if (['', '.', '..'].includes(id)) throw new TypeError('the id of a memory is needed');
  return { id };
}

async function refuseFailure(response: Response, request: Request): Promise<Response> {
  if (response.ok) return response;
  throw toApiError(response, await readText({ request, response }));
}

function explainSilence(cause: unknown, request: Request): unknown {
  if (request.signal.aborted) return request.signal.reason;
  return new MemoryConnectionError(`no answer from ${new URL(request.url).origin}`, { cause });
}

function baseUrlOf(url: string | undefined): string {
  if (url === undefined) throw new TypeError('baseUrl is needed: pass it, or set MEMORY_BASE_URL');
  if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError('baseUrl must start with http:// or https://');
  return url.replace(/\/+$/, '');
}

function tokenOf(token: string | undefined): string | undefined {
  const trimmed = token?.trim();
  // Refused here, because fetch would quote the token in its own error.
  if (trimmed !== undefined && !VISIBLE_ASCII.test(trimmed)) throw new TypeError('token is not an access token');
  return trimmed;
}

function environment(name: string): string | undefined {
  return (typeof process === 'undefined' ? undefined : process.env[name]) || undefined;
}
