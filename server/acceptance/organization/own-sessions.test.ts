import { expect, test } from 'vitest';
import { browser, PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { member, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/sessions';
const HOUR = 3_600_000_000;

test('a person sees their own sessions, where each came from, and which is the present one', async () => {
  const app = await testApp();
  const somebody = await person(app, 'readonly');
  await signedIn(app, await person(app, 'owner'));
  const there = { email: somebody.email, password: PASSWORD };
  await app.send('POST', '/api/session', there, { authorization: undefined, 'user-agent': 'x'.repeat(200) });
  const here = browser(app, await signedIn(app, somebody));

  const { status, body } = await here('GET', PATH);
  const [first, second, ...others] = body.sessions as Record<string, unknown>[];

  expect([status, others]).toEqual([200, []]);
  const times = { createdAt: expect.any(String), lastUsedAt: expect.any(String), expiresAt: expect.any(String) };
  const common = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), ip: '127.0.0.1', ...times };
  expect(first).toEqual({ ...common, userAgent: 'x'.repeat(128), current: false });
  expect(second).toEqual({ ...common, current: true });
});

test('a token of the person sees them too, in pages', async () => {
  const app = await testApp();
  const { headers } = await member(app, 'member', ['settings:admin']);
  for (let n = 0; n < 3; n += 1) {
    const { body } = await app.send('POST', '/api/session/links', undefined, headers);
    const code = String(body.link).split('#')[1];
    await app.send('POST', '/api/session/links/redeem', { code }, { authorization: undefined });
  }

  const page = await app.send('GET', `${PATH}?limit=2`, undefined, headers);
  const cursor = encodeURIComponent(String(page.body.nextCursor));
  const rest = await app.send('GET', `${PATH}?limit=2&cursor=${cursor}`, undefined, headers);

  const listed = [page, rest].map(({ body }) => body.sessions as { current: boolean }[]);
  expect(listed.map((sessions) => sessions.length)).toEqual([2, 1]);
  expect(listed.flat().some(({ current }) => current)).toBe(false);
});

test('a session that has ended is not listed', async () => {
  let now = 1_700_000_000_000_000;
  const app = await testApp({ now: () => now });
  const somebody = await person(app, 'member');
  await signedIn(app, somebody);
  now += 12 * HOUR;
  const here = browser(app, await signedIn(app, somebody));

  const { body } = await here('GET', PATH);

  expect(body.sessions).toMatchObject([{ current: true }]);
});

test('a person ends one of their sessions, and no session of anybody else', async () => {
  const app = await testApp();
  const somebody = await person(app, 'member');
  const other = browser(app, await signedIn(app, await person(app, 'member')));
  const there = browser(app, await signedIn(app, somebody));
  const here = browser(app, await signedIn(app, somebody));
  const idOf = async (send: typeof here) => {
    const { body } = await send('GET', '/api/session');
    return (body.credential as { id: string }).id;
  };
  const [foreign, own] = [await idOf(other), await idOf(there)];

  const answers = [
    await here('DELETE', `${PATH}/${foreign}`),
    await here('DELETE', `${PATH}/${own}`),
    await here('DELETE', `${PATH}/${own}`),
    await there('GET', '/api/session'),
    await other('GET', '/api/session'),
    await here('GET', '/api/session'),
  ];

  expect(answers.map(({ status }) => status)).toEqual([404, 204, 404, 401, 200, 200]);
});
