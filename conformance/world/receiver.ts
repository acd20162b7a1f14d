import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The body of every answer of the receiver except a 204. */
export const ANSWER = 'The receiver of the suite says no.';

/** A request to the receiver. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: Record<string, unknown>;
  /** When, in milliseconds of the clock. */
  readonly at: number;
}

/** An endpoint of the suite's own, which outbound webhooks are sent to. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** The statuses for the next requests to a path whose body contains a word, in order. Others get 204. */
  private readonly answers = new Map<string, { word: string; statuses: number[] }>();

  private constructor(
    private readonly server: Server,
    /** Under which it is reached. */
    readonly url: string,
  ) {}

  /** @param publicUrl under which a deployment elsewhere reaches the address */
  static async listen(host: string, port: number, publicUrl?: string): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    const address = server.address() as AddressInfo;
    const url = publicUrl?.replace(/\/+$/, '') ?? `http://${host}:${address.port}`;
    const receiver = new Receiver(server, url);
    server.on('request', async (request, response) => {
      const raw = await text(request).catch(() => '');
      const path = (request.url ?? '/').slice(1);
      receiver.received.push({ path, headers: request.headers, raw, body: toObject(raw), at: Date.now() });
      const status = receiver.answerTo(path, raw);
      response.writeHead(status).end(status === 204 ? undefined : ANSWER);
    });
    return receiver;
  }

  /** Answers the next requests to a path like this, if their body holds a word: others come there too. */
  answer(path: string, word: string, ...statuses: readonly number[]): void {
    this.answers.set(path, { word, statuses: [...statuses] });
  }

  private answerTo(path: string, raw: string): number {
    const { word, statuses } = this.answers.get(path) ?? { word: '', statuses: [] };
    return (raw.includes(word) ? statuses.shift() : undefined) ?? 204;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}

function toObject(raw: string): Record<string, unknown> {
  try {
    return JSON.parse(raw) as Record<string, unknown>;
  } catch {
    return {};
  }
}
