import type { buildConnector, Client, Dispatcher } from 'undici';
import { MAX_ANSWER_BYTES } from '../../domain/outbound/answer-excerpt.js';
import type { SendFailure } from '../../domain/outbound/delivery.js';
import type { EndpointRules } from '../../domain/outbound/endpoint-url.js';
import type { HttpSender, OutgoingPost, Sent } from '../../ports/http-sender.js';
import { AddressRefusedError, guardedConnector, type Resolve, UnresolvedError } from './guarded-connector.js';
import { HostResolver } from './host-resolver.js';

/** Time from the start of the host lookup to the end of the response headers. */
const TOTAL_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_HEAD_BYTES = 16 * 1024;
/** Time for the first bytes of the response body. It does not decide about success, so a slow one is left unread. */
const ANSWER_TIMEOUT_MS = 1_000;

export interface UndiciSenderOptions extends EndpointRules {
  /** Default: that of a {@link HostResolver}. */
  resolve?: Resolve;
  timeoutMs?: number;
}

type Undici = typeof import('undici');

/** The library and the connector that checks addresses. */
interface Opened {
  undici: Undici;
  connect: buildConnector.connector;
}

/**
 * Sends with undici, which the first request loads. Each request has its own client and connection, so each address is
 * checked and a host lookup ends with its request.
 */
export class UndiciSender implements HttpSender, AsyncDisposable {
  /** Resolves hosts if the options have no `resolve`. */
  readonly resolver = new HostResolver();
  readonly #resolve: Resolve;
  readonly #rules: EndpointRules;
  readonly #timeoutMs: number;
  readonly #clients = new Set<Client>();
  #opened: Promise<Opened> | undefined;

  constructor({ resolve, timeoutMs = TOTAL_TIMEOUT_MS, ...rules }: UndiciSenderOptions) {
    this.#resolve = resolve ?? ((lookup) => this.resolver.resolve(lookup));
    this.#rules = rules;
    this.#timeoutMs = timeoutMs;
  }

  async post(request: OutgoingPost): Promise<Sent> {
    this.#opened ??= this.#open();
    const opened = await this.#opened;
    const ended = new AbortController();
    const expired = AbortSignal.timeout(this.#timeoutMs);
    const client = this.#client(opened, request, AbortSignal.any([ended.signal, expired]));
    this.#clients.add(client);
    try {
      return await send(client, request, expired);
    } catch (error) {
      return { failure: expired.aborted ? 'timeout' : failureOf(error, opened.undici) };
    } finally {
      ended.abort();
      this.#clients.delete(client);
      void client.destroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.destroy()));
  }

  #client({ undici, connect }: Opened, { url, tenant }: OutgoingPost, signal: AbortSignal): Client {
    const resolve = (host: string) => this.#resolve({ host, tenant, signal });
    return new undici.Client(new URL(url).origin, {
      connect: guardedConnector(connect, resolve, this.#rules),
      maxHeaderSize: MAX_HEAD_BYTES,
      pipelining: 0,
      allowH2: false,
    });
  }

  async #open(): Promise<Opened> {
    const undici = await import('undici');
    // TLS sessions are not kept, so each connection checks the certificate again.
    const timeout = Math.min(CONNECT_TIMEOUT_MS, this.#timeoutMs);
    return { undici, connect: undici.buildConnector({ timeout, maxCachedSessions: 0 }) };
  }
}

async function send(client: Client, { url, headers, body }: OutgoingPost, signal: AbortSignal): Promise<Sent> {
  const { pathname, search } = new URL(url);
  const answer = await client.request({ path: pathname + search, method: 'POST', headers, body, signal, reset: true });
  const start = await startOf(answer.body);
  const retryAfter = answer.headers['retry-after'];
  return {
    status: answer.statusCode,
    ...(typeof retryAfter === 'string' && { retryAfter }),
    ...(start.length > 0 && { answer: start }),
  };
}

/** Returns the first bytes of a body that arrive in time. A slow or large body does not hold the connection. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  // An error of the body does not change the result, even if it comes after the last read.
  body.on('error', () => {});
  const timer = setTimeout(() => body.destroy(), ANSWER_TIMEOUT_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // Bytes that arrived before are returned.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES));
}

const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$)/;

function failureOf(error: unknown, { errors }: Undici): SendFailure {
  if (error instanceof AddressRefusedError) return 'address_refused';
  if (error instanceof UnresolvedError) return 'unresolved';
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) return 'protocol';
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (TLS_CODE.test(code)) return 'tls';
  return 'connection';
}
