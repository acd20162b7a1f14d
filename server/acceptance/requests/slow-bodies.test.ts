import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { member, type TestApp, testApp } from '../../testing/app/test-app.js';

const SECOND = 1_000_000;

const TOOL_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'memory_ingest', arguments: { content: 'late' } },
};

const REQUESTS = [
  ['/api/memories', { content: 'late' }],
  ['/mcp', TOOL_CALL],
] as const;

test.each(REQUESTS)('a token that is revoked while a body arrives is rejected: %s', async (path, body) => {
  const clock = { now: 1_700_000_000_000_000 };
  const app = await testApp({ now: () => clock.now });
  const { tokenId, headers } = await member(app, 'member', ['*']);
  const isIdentified = identification(app);
  const sending = send(app, path, headers, JSON.stringify(body));
  await isIdentified;

  const revoked = await app.send('DELETE', `/api/organization/tokens/${tokenId}`);
  clock.now += SECOND;
  const answer = await sending.finish();

  expect([revoked.status, answer.status]).toEqual([204, 401]);
  expect((await app.send('GET', '/api/memories/recent')).body.results).toEqual([]);
});

test('a membership that ends while a body arrives is rejected', async () => {
  const clock = { now: 1_700_000_000_000_000 };
  const app = await testApp({ now: () => clock.now });
  const { userId, headers } = await member(app, 'owner', ['*']);
  const isIdentified = identification(app);
  const invitation = { email: 'back@example.test', role: 'owner' };
  const sending = send(app, '/api/organization/invitations', headers, JSON.stringify(invitation));
  await isIdentified;

  const removed = await app.send('DELETE', `/api/organization/members/${userId}`);
  clock.now += SECOND;
  const answer = await sending.finish();

  expect([removed.status, answer.status]).toEqual([204, 401]);
  expect((await app.send('GET', '/api/organization/invitations')).body.invitations).toEqual([]);
});

/** Resolves when the service has identified the caller of the next request. */
function identification({ deps }: TestApp): Promise<void> {
  const { accounts } = deps.store;
  const find = accounts.findTokenByDigest;
  return new Promise((resolve) => {
    accounts.findTokenByDigest = async (...given) => {
      const found = await find(...given);
      resolve();
      return found;
    };
  });
}

/** Sends the head of a request and the first byte of its body, and the rest on demand. */
function send({ port }: TestApp, path: string, headers: Record<string, string>, body: string) {
  const type = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path, headers: { ...type, ...headers } });
  const answer = new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      text(incoming).then((received) => resolve({ status: incoming.statusCode, body: received }), reject);
    });
  });
  outgoing.write(body.slice(0, 1));
  return {
    finish: () => {
      outgoing.end(body.slice(1));
      return answer;
    },
  };
}
