import { expect, test } from 'vitest';
import { MemoryClient } from '../client.js';

const INFO = { credential: { type: 'session' }, csrfToken: 'csrf-1' };
const COOKIE = 'memory_session=cookie-1; Path=/; HttpOnly; SameSite=Lax';

/** Creates a client and records the credentials of each call. */
function recordingClient(setCookie: string[] = [COOKIE, 'other=1']) {
  const shown: (string | null)[][] = [];
  const client = new MemoryClient({
    baseUrl: 'http://memory.test',
    token: 'msk_test',
    fetch: async (input) => {
      const { headers, method } = input as Request;
      shown.push([headers.get('Authorization'), headers.get('Cookie'), headers.get('X-CSRF-Token')]);
      if (method === 'DELETE') return new Response(null, { status: 204 });
      const answer = Response.json(INFO, { status: 201 });
      for (const cookie of setCookie) answer.headers.append('Set-Cookie', cookie);
      return answer;
    },
  });
  return { client, shown };
}

test('a client that signed in uses its session until it signs out', async () => {
  const { client, shown } = recordingClient();

  await client.session.signIn({ email: 'ana@example.test', password: 'secret' });
  await client.ingest({ content: 'a' });
  await client.recent();
  await client.session.signOut();
  await client.recent();

  expect(shown).toEqual([
    [null, null, null],
    [null, 'memory_session=cookie-1', 'csrf-1'],
    [null, 'memory_session=cookie-1', null],
    [null, 'memory_session=cookie-1', 'csrf-1'],
    ['Bearer msk_test', null, null],
  ]);
});

test('a client sends the cookie under the name that the service gave it', async () => {
  const { client, shown } = recordingClient(['__Host-memory_session=cookie-2; Path=/; Secure']);

  await client.session.signIn({ email: 'ana@example.test', password: 'secret' });
  await client.recent();

  expect(shown.at(-1)).toEqual([null, '__Host-memory_session=cookie-2', null]);
});

test('a browser hides the cookie from scripts and sends it itself', async () => {
  const { client, shown } = recordingClient([]);

  await client.session.get();
  await client.ingest({ content: 'a' });

  expect(shown.at(-1)).toEqual([null, null, 'csrf-1']);
});

test('a failed attempt to sign in leaves the token in place', async () => {
  const sent: (string | null)[] = [];
  const client = new MemoryClient({
    baseUrl: 'http://memory.test',
    token: 'msk_test',
    fetch: async (input) => {
      sent.push((input as Request).headers.get('Authorization'));
      return Response.json({ error: 'no', code: 'unauthenticated' }, { status: 401 });
    },
  });

  await client.session.signIn({ email: 'ana@example.test', password: 'wrong' }).catch(() => undefined);
  await client.recent().catch(() => undefined);

  expect(sent).toEqual([null, 'Bearer msk_test']);
});
