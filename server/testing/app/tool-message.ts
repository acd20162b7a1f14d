import { type Answer, HttpClient } from './http-client.js';
import type { TestApp } from './test-app.js';

/** What a client of the tools says that it takes. */
export const ACCEPT = 'application/json, text/event-stream';
export const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Sends to /mcp by hand; the path is none of the document's, so no answer of it is held against that. */
export async function post(
  app: Pick<TestApp, 'port' | 'token'>,
  body: unknown,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> {
  const client = new HttpClient(app.port);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { authorization: `Bearer ${app.token}`, accept: ACCEPT, 'content-type': 'application/json', ...headers };
  const answer = await client.send('POST', '/mcp', text, all);
  client.close();
  return answer;
}
