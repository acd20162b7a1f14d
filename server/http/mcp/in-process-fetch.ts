import { type RequestListener, ServerResponse } from 'node:http';
import { InProcessRequest, type Surface } from '../request/caller/in-process.js';

const NO_BYTES = new Uint8Array();

/**
 * Returns a fetch that calls the service without a network. Checks, limits and answers are the same, without the cost
 * of a connection.
 */
export function inProcessFetch(listener: RequestListener, surface: Surface): typeof fetch {
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    request.signal.throwIfAborted();
    const body = request.body === null ? NO_BYTES : new Uint8Array(await request.arrayBuffer());
    request.signal.throwIfAborted();
    const { pathname, search } = new URL(request.url);
    const target = { method: request.method, url: pathname + search, headers: headersOf(request, body, surface) };
    const incoming = new InProcessRequest(surface, target, body);
    return new Promise<Response>((resolve, reject) => {
      const response = new InProcessResponse(incoming, resolve, reject);
      // The abort acts as a closed connection of an outside caller: reads end, and writes that have begun continue.
      request.signal.addEventListener('abort', () => response.destroy(request.signal.reason), { once: true });
      listener(incoming, response);
    });
  };
}

function headersOf(request: Request, body: Uint8Array, { headers }: Surface): Record<string, string> {
  const own = Object.fromEntries(request.headers);
  const all = { ...own, ...headers, ...(body.length > 0 && { 'content-length': String(body.length) }) };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** An answer whose text is already complete, so that it need not be read from a stream. */
class WholeResponse extends Response {
  override readonly text: () => Promise<string>;

  constructor(whole: string | null, init: ResponseInit) {
    super(whole, init);
    this.text = async () => whole ?? '';
  }
}

/** Collects what is written to it, for an answer in one piece. */
class InProcessResponse extends ServerResponse {
  private readonly pieces: Buffer[] = [];

  constructor(
    request: InProcessRequest,
    private readonly answer: (response: Response) => void,
    private readonly fail: (reason: unknown) => void,
  ) {
    super(request);
  }

  override write(chunk: unknown): boolean {
    this.keep(chunk);
    return true;
  }

  override end(chunk?: unknown): this {
    if (this.finished || this.destroyed) return this;
    this.keep(chunk);
    this.finished = true;
    const headers = Object.entries(this.getHeaders()).map(([name, value]): [string, string] => [name, String(value)]);
    const isEmpty = this.statusCode === 204 || this.statusCode === 304;
    const text = isEmpty ? null : Buffer.concat(this.pieces).toString();
    this.answer(new WholeResponse(text, { status: this.statusCode, headers }));
    process.nextTick(() => {
      this.emit('finish');
      this.emit('close');
    });
    return this;
  }

  override destroy(error?: Error): this {
    if (this.finished || this.destroyed) return this;
    this.destroyed = true;
    this.fail(error ?? new Error('the answer ended early'));
    process.nextTick(() => this.emit('close'));
    return this;
  }

  private keep(chunk: unknown): void {
    if (typeof chunk === 'string') this.pieces.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) this.pieces.push(Buffer.from(chunk));
  }
}
