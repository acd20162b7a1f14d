import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Fault, on, sending } from './fault.js';

/** A delivery on its way to the suite. */
export interface Passing {
  headers: Record<string, string>;
  body: string;
}

/**
 * A deployment whose outbound deliveries come changed, or not at all where the
 * change returns false.
 *
 * The relay ends with the process of the tests: it keeps nothing waiting.
 */
export function relayed(change: (passing: Passing) => unknown): Fault {
  return on('POST /api/organization/outbound-webhooks', async (sent, forward) => {
    const url = await startRelay(String(sent.body.url), change);
    const redirect = sending(({ body }) => {
      body.url = url;
    });
    return redirect(sent, forward);
  });
}

async function startRelay(to: string, change: (passing: Passing) => unknown): Promise<string> {
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => /^(x-service|webhook|content-type)/.test(name)),
    ) as Record<string, string>;
    const passing: Passing = { headers, body: await text(request) };
    if (change(passing) === false) {
      response.writeHead(204).end();
      return;
    }
    const answer = await fetch(to, { method: 'POST', ...passing }).catch(() => undefined);
    response.writeHead(answer?.status ?? 502).end();
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
