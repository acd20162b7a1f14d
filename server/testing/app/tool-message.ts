import { type Answer, HttpClient } from './http-client.js';
import type { TestApp } from './test-app.js';

/** The Accept header of a tool client. */
export const ACCEPT = 'application/json, text/event-stream';
export const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Sends a raw message to /mcp. openapi.yaml does not contain that path, so the answer is not checked against it. */
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
