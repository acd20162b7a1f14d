import { lookup } from 'node:dns/promises';
import { Agent, errors, request } from 'undici';
import type { SendFailure } from '../../domain/outbound/delivery.js';
import type { EndpointRules } from '../../domain/outbound/endpoint-url.js';
import type { HttpSender, OutgoingPost, Sent } from '../../ports/http-sender.js';
import { AddressRefusedError, guardedConnector, type Resolve, UnresolvedError } from './guarded-connector.js';

/** From the look-up of the host to the end of the answer's head. */
const TOTAL_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_HEAD_BYTES = 16 * 1024;

export interface UndiciSenderOptions extends EndpointRules {
  /** The system's unless given. */
  resolve?: Resolve;
  timeoutMs?: number;
}

/** Sends with undici. Each request has a connection of its own, so each one is checked. */
export class UndiciSender implements HttpSender, AsyncDisposable {
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor({ resolve = lookUpAll, timeoutMs = TOTAL_TIMEOUT_MS, ...rules }: UndiciSenderOptions) {
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      connect: guardedConnector(resolve, rules, Math.min(CONNECT_TIMEOUT_MS, timeoutMs)),
      maxHeaderSize: MAX_HEAD_BYTES,
      pipelining: 0,
      allowH2: false,
    });
  }

  async post({ url, headers, body }: OutgoingPost): Promise<Sent> {
    const expired = AbortSignal.timeout(this.#timeoutMs);
    try {
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher: this.#agent,
        signal: expired,
        reset: true,
      });
      // The head says all there is to know, and whoever is slow or sends much with the rest is not listened to.
      answer.body.on('error', () => {});
      answer.body.destroy();
      const retryAfter = answer.headers['retry-after'];
      return { status: answer.statusCode, ...(typeof retryAfter === 'string' && { retryAfter }) };
    } catch (error) {
      return { failure: expired.aborted ? 'timeout' : failureOf(error) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

async function lookUpAll(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$)/;

function failureOf(error: unknown): SendFailure {
  if (error instanceof AddressRefusedError) return 'address_refused';
  if (error instanceof UnresolvedError) return 'unresolved';
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) return 'protocol';
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (TLS_CODE.test(code)) return 'tls';
  return 'connection';
}
