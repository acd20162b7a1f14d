import type { IncomingMessage } from 'node:http';
import { PayloadTooLargeError } from '../../../errors.js';

/** The caller disconnected before its request was complete. No answer is possible. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError';
}

/** The body did not arrive in time. */
export class BodyTimeoutError extends Error {
  override name = 'BodyTimeoutError';
}

export interface BodyRules {
  /** Maximum bytes. */
  limit: number;
  /** Time for a whole body. The time that its bytes take at `bytesPerSecond` is added. */
  deadlineMs: number;
  bytesPerSecond: number;
  /** Called with the number of bytes so far. An error that it throws ends the read. */
  onReceived: (bytes: number) => void;
  /** Counts the values in the bytes as they arrive. An error that it throws ends the read. */
  shape?: { take(bytes: Buffer): void } | undefined;
}

/**
 * Reads the bytes of a body.
 *
 * @throws {PayloadTooLargeError} `payload_too_large`
 * @throws {BodyTimeoutError}
 * @throws {ClientGoneError}
 */
export async function collectBody(request: IncomingMessage, rules: BodyRules): Promise<Buffer> {
  const { limit } = rules;
  if (!request.readable) throw new ClientGoneError('the connection closed before the body was read');
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  if (request.complete) return readArrived(request, rules);
  const received = new Received(rules);
  try {
    return await received.from(request);
  } finally {
    received.leave(request);
  }
}

/** Reads a body that arrived together with its headers, as most do. */
function readArrived(request: IncomingMessage, { limit, onReceived, shape }: BodyRules): Buffer {
  const body: Buffer = request.read() ?? Buffer.alloc(0);
  if (body.length > limit) throw tooLarge(limit);
  onReceived(body.length);
  shape?.take(body);
  return body;
}

/** Collects the body of one request until it is complete or rejected. */
class Received {
  readonly #rules: BodyRules;
  readonly #chunks: Buffer[] = [];
  readonly #start = performance.now();
  #bytes = 0;
  #isWhole = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: (body: Buffer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(rules: BodyRules) {
    this.#rules = rules;
  }

  from(request: IncomingMessage): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#watch();
      request.on('data', this.#take).on('end', this.#end).on('error', this.#gone).on('close', this.#gone);
    });
  }

  leave(request: IncomingMessage): void {
    clearTimeout(this.#timer);
    request.off('data', this.#take).off('end', this.#end).off('error', this.#gone).off('close', this.#gone);
    request.pause();
  }

  readonly #take = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    try {
      if (this.#bytes > this.#rules.limit) throw tooLarge(this.#rules.limit);
      this.#rules.onReceived(this.#bytes);
      this.#rules.shape?.take(chunk);
      this.#chunks.push(chunk);
    } catch (error) {
      this.#reject(error);
    }
  };

  readonly #end = (): void => {
    this.#isWhole = true;
    this.#resolve(Buffer.concat(this.#chunks, this.#bytes));
  };

  /** Is also called after the end of each body. */
  readonly #gone = (cause?: unknown): void => {
    if (this.#isWhole) return;
    this.#reject(new ClientGoneError('the connection closed while the body was read', { cause }));
  };

  #watch(): void {
    const { deadlineMs, bytesPerSecond } = this.#rules;
    const leftMs = this.#start + deadlineMs + (this.#bytes / bytesPerSecond) * 1_000 - performance.now();
    if (leftMs <= 0) this.#reject(new BodyTimeoutError('the body did not come in time'));
    else this.#timer = setTimeout(() => this.#watch(), leftMs);
  }
}

function tooLarge(limit: number): PayloadTooLargeError {
  return new PayloadTooLargeError('payload_too_large', `The body may have at most ${limit} bytes`, limit);
}
