import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const DIMENSIONS = 256;

/** The parts of the requests of Voyage AI's API that it uses. */
interface Asked {
  input?: string[];
  documents?: string[];
}

/** An embedding provider on this machine with a reranker, which prefers longer texts. It has the API of Voyage AI. */
export class LocalProvider implements AsyncDisposable {
  private constructor(
    private readonly server: Server,
    /** The variables that make a server use it. */
    readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<LocalProvider> {
    const server = createServer(async (request: IncomingMessage, response) => {
      const { input = [], documents = [] } = (await json(request)) as Asked;
      const data = [
        ...input.map((text, index) => ({ index, embedding: vectorOf(text) })),
        ...documents.map(({ length }, index) => ({ index, relevance_score: length / (1 + length) })),
      ];
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new LocalProvider(server, {
      SERVICE_EMBEDDING_PROVIDER: 'voyage',
      SERVICE_EMBEDDING_API_KEY: 'of no provider',
      SERVICE_EMBEDDING_BASE_URL: `http://127.0.0.1:${port}`,
      SERVICE_EMBEDDING_DIMENSIONS: String(DIMENSIONS),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Counts the letters of a text. */
function vectorOf(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (let index = 0; index < text.length; index += 1) {
    const at = text.charCodeAt(index) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}
