import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as the receiver saw it. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  /** Its URL on this machine. */
  url: string;
  port: number;
  /** The complete requests so far. */
  received: Received[];
}

/** Answers deliveries as a test chooses, until the test ends. */
export async function httpReceiver(answer: (response: ServerResponse, request: Received) => void): Promise<Receiver> {
  const received: Received[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const whole = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(whole);
      answer(response, whole);
    });
  });
  return { ...(await listen(server)), received };
}

/** Listens and passes raw connections to the test, for behaviour that no HTTP server has. */
export async function tcpReceiver(
  connected: (socket: Socket) => void,
): Promise<Receiver & { connections: () => number }> {
  let count = 0;
  const server = createTcpServer((socket) => {
    count += 1;
    socket.on('error', () => {});
    connected(socket);
  });
  return { ...(await listen(server)), received: [], connections: () => count };
}

async function listen(server: Server): Promise<{ url: string; port: number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port };
}
