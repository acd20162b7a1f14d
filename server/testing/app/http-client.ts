import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed JSON, or an empty object if the text is not JSON. */
  body: Record<string, unknown>;
}

/** A header that is undefined is not sent. */
export type SentHeaders = Record<string, string | string[] | undefined>;

/** Sends any method, target, header and bytes, which fetch does not, and keeps connections open between requests. */
export class HttpClient {
  private readonly agent: Agent;

  /** @param localAddress the address that its connections come from */
  constructor(
    private readonly port: number,
    localAddress?: string,
  ) {
    this.agent = new Agent({ keepAlive: true, ...(localAddress !== undefined && { localAddress }) });
  }

  async send(method: string, path: string, body?: string | Buffer, headers: SentHeaders = {}): Promise<Answer> {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const isChunked = body === undefined || sent['transfer-encoding'] !== undefined;
    const length = isChunked ? {} : { 'content-length': Buffer.byteLength(body) };
    return new Promise<Answer>((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port: this.port,
        method,
        path,
        agent: this.agent,
        headers: { ...length, ...sent } as Record<string, string>,
      });
      outgoing.once('error', reject);
      outgoing.once('response', (incoming) => {
        text(incoming).then((received) => {
          const { statusCode: status = 0, headers: received_ } = incoming;
          resolve({ status, headers: received_, text: received, body: toJson(received) });
        }, reject);
      });
      outgoing.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function toJson(received: string): Record<string, unknown> {
  try {
    return JSON.parse(received) as Record<string, unknown>;
  } catch {
    return {};
  }
}
