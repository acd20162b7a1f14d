import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { loadContract } from '../../http/contract/contract.js';
import { PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';

const CONTENT = 'The launch code is purple-elephant-forty.';
const METADATA = 'metadata-value-of-somebody';
const QUERY = 'where-is-the-elephant';
const WRONG_PASSWORD = 'wrong-password-of-ana';

/** Uses every operation and provokes every error. Returns the texts that must appear nowhere. */
async function beBusy(app: TestApp, embedder: LetterEmbedder): Promise<{ secrets: string[]; failures: string[] }> {
  const failures: string[] = [];
  const send: TestApp['send'] = async (...request) => {
    const answer = await app.send(...request);
    if (answer.status >= 400) failures.push(answer.text);
    return answer;
  };
  const open = { authorization: undefined };

  const ana = await person(app, 'owner');
  const browser = await signedIn(app, ana);
  const session = { ...open, ...browser };
  const made = await send('POST', '/api/organization/tokens', { name: 'n', abilities: ['memory:search'] }, session);
  const invited = await send('POST', '/api/organization/invitations', { email: 'ben@example.test', role: 'member' });
  const link = String(invited.body.link);
  const dashboard = String((await send('POST', '/api/session/links', undefined, session)).body.link);
  const code = dashboard.slice(-43);
  await send('POST', '/api/session/links/preview', { code }, open);
  await send('POST', '/api/session/password/reset', { code, newPassword: PASSWORD }, open);
  await send('POST', '/api/session/links/redeem', { code }, open);
  await send('POST', '/api/session/links/redeem', { code }, open);
  const foreign = await foundOrganization(app.deps);
  const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` });

  const memory = { content: CONTENT, metadata: { note: METADATA } };
  const { body: stored } = await send('POST', '/api/memories', memory);
  await send('POST', '/api/memories', memory, bearer(made.body.token));
  await send('POST', '/api/memories', { ...memory, colour: CONTENT }, session);
  await send('PUT', '/api/memories', { externalKey: 'k', content: CONTENT, metadata: { note: METADATA } });
  await send('POST', '/api/memories/batch', { items: [memory, { content: '' }, { ...memory, scope: CONTENT }] });
  await send('PATCH', `/api/memories/${stored.id}`, { metadata: { note: METADATA } }, session);
  await send('POST', '/api/memories/search', { query: QUERY, limit: 0 });
  await send('POST', '/api/memories/search', { query: QUERY });
  await send('GET', `/api/memories/recent?filter[kind]=${METADATA}&limit=x`);
  await send('GET', `/api/memories/${stored.id}`, undefined, bearer(foreign.token));
  await send('GET', '/api/session', undefined, bearer(`${made.body.token}x`));
  await send('GET', '/api/session', undefined, { ...open, cookie: `${browser.cookie}x` });
  await send('POST', '/api/memories', memory, { ...session, 'x-csrf-token': 'x' });
  await send('POST', '/api/session', { email: ana.email, password: WRONG_PASSWORD }, open);
  const change = { currentPassword: WRONG_PASSWORD, newPassword: `${PASSWORD}!` };
  await send('PUT', '/api/session/password', change, session);
  const acceptance = { token: link.split('/').pop(), email: 'other@example.test', password: PASSWORD };
  await send('POST', '/api/invitations/accept', acceptance, open);
  await send('GET', `/invitations/accept/${acceptance.token}`, undefined, open);
  await send('POST', '/api/memories', CONTENT);
  await everyOperation(send);
  embedder.down = true;
  await send('POST', '/api/memories', { content: `${CONTENT} Again.` });
  app.store.down = 'everything';
  await everyOperation(send);
  app.store.down = 'nothing';

  const secrets = [
    ...[CONTENT, METADATA, QUERY, PASSWORD, WRONG_PASSWORD, app.token, foreign.token, String(made.body.token)],
    ...[browser.cookie.split('=')[1] ?? '', browser['x-csrf-token'], link.slice(-43), code],
  ];
  return { secrets, failures };
}

async function everyOperation(send: TestApp['send']): Promise<void> {
  for (const { id } of loadContract().operations) {
    const { method, path, body } = SAMPLE_REQUESTS[id];
    await send(method, path, body);
  }
}

test('no log line, error or audit event contains a token, a password or a content', async () => {
  const embedder = new LetterEmbedder();
  const app = await testApp({ embedder });
  const { secrets, failures } = await beBusy(app, embedder);
  await vi.waitFor(() => expect(app.logged.length).toBeGreaterThan(100), { timeout: 60_000 });

  const { text: events, body } = await app.send('GET', '/api/organization/audit-events?limit=500');
  const written = [inspect(app.logged, { depth: 10 }), ...failures, events];

  expect(failures.length).toBeGreaterThan(50);
  expect((body.auditEvents as unknown[]).length).toBeGreaterThan(10);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(15);
    expect(written.filter((text) => text.includes(secret))).toEqual([]);
  }
});
