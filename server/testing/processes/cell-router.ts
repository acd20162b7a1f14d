import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { digestToken } from '../../domain/account/token.js';

/** Headers that a hop does not forward. */
const OF_HOP = ['connection', 'host', 'content-length', 'transfer-encoding', 'keep-alive'];
/** Paths whose POST requests only read. */
const READS = ['/api/memories/search'];

/** Forwards each request to the cell of its token's organization. This is all that a router of cells must know. */
export class CellRouter implements AsyncDisposable {
  readonly #server: Server;
  /** The organizations of token digests, and the URL of the cell of each organization. */
  readonly #organizations = new Map<string, string>();
  readonly #cells = new Map<string, string>();
  /** Organizations whose writes wait until they have moved. */
  readonly #moving = new Set<string>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#route(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<CellRouter> {
    const router = new CellRouter();
    await new Promise<void>((resolve) => router.#server.listen(0, '127.0.0.1', resolve));
    return router;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  addToken(token: string, organizationId: string): void {
    this.#organizations.set(digestToken(token), organizationId);
  }

  /** From now on, the cell has the organization. */
  place(organizationId: string, cellUrl: string): void {
    this.#cells.set(organizationId, cellUrl);
  }

  /** Refuses the writes of an organization until `allowWrites`. */
  stopWrites(organizationId: string): void {
    this.#moving.add(organizationId);
  }

  allowWrites(organizationId: string): void {
    this.#moving.delete(organizationId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
    const organizationId = this.#organizations.get(digestToken(token)) ?? '';
    const cell = this.#cells.get(organizationId);
    if (cell === undefined) return void response.writeHead(401).end();
    const isRead = method === 'GET' || READS.includes(url);
    if (!isRead && this.#moving.has(organizationId)) {
      return void response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' }).end('{}');
    }
    const sent = Object.entries(headers).filter(([name]) => !OF_HOP.includes(name));
    const answer = await fetch(`${cell}${url}`, {
      method,
      headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
      ...(body.length > 0 && { body }),
    });
    const received = [...answer.headers].filter(([name]) => !OF_HOP.includes(name) && name !== 'content-encoding');
    response.writeHead(answer.status, Object.fromEntries(received)).end(Buffer.from(await answer.arrayBuffer()));
  }
}
