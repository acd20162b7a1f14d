import { Agent, request } from 'node:http';

interface Answer {
  status: number;
  body: unknown;
}

/** Keeps connections. */
export function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 64 });
}

/** A minimal HTTP client with kept-alive connections, so that measurements are of the server. */
export class BenchClient {
  /** @param agent those of many organizations share one, since the server closes connections that are idle for long */
  constructor(
    private readonly baseUrl: string,
    private readonly token = '',
    private readonly agent = newAgent(),
  ) {}

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.baseUrl}${path}`,
        {
          method,
          agent: this.agent,
          headers: {
            Authorization: `Bearer ${this.token}`,
            ...(payload && { 'Content-Type': 'application/json', 'Content-Length': payload.length }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  /** @throws {Error} for an answer outside 2xx: a benchmark of errors measures nothing */
  async ok(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Returns the size of an answer, which is not parsed, and the cursor of the next page. @throws {Error} outside 2xx */
  download(path: string): Promise<{ bytes: number; cursor: string | undefined }> {
    const headers = { Authorization: `Bearer ${this.token}` };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.baseUrl}${path}`, { agent: this.agent, headers }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0, headers: got } = response;
          const { 'x-next-cursor': cursor } = got;
          if (statusCode >= 300) reject(new Error(`GET ${path}: ${statusCode}`));
          else resolve({ bytes, cursor: typeof cursor === 'string' ? cursor : undefined });
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
