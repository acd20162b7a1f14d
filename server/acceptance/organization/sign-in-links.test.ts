import { describe, expect, test } from 'vitest';
import { MemoryRateLimiter } from '../../adapters/rate-limiter/memory-rate-limiter.js';
import { browser, PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { foundOrganization, member, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/session/links';
const NONE = { authorization: undefined };
const MINUTE = 60_000_000;
const PLENTY = 1_000_000;

async function createLink(app: TestApp, headers: object = {}): Promise<string> {
  const { body } = await app.send('POST', PATH, undefined, { ...headers });
  return codeIn(body.link);
}

function codeIn(link: unknown): string {
  return new URL(String(link)).hash.slice(1);
}

function preview(app: TestApp, code: string) {
  return app.send('POST', `${PATH}/preview`, { code }, NONE);
}

function redeem(app: TestApp, code: string) {
  return app.send('POST', `${PATH}/redeem`, { code }, NONE);
}

describe('createSignInLink', () => {
  test('returns a link with the code in its fragment, which expires after 15 minutes', async () => {
    const now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });

    const answer = await app.send('POST', PATH);

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      link: expect.stringMatching(/^https:\/\/memory\.example\.test\/welcome#[\w-]{43}$/),
      expiresAt: new Date(now / 1_000 + 15 * 60_000).toISOString().replace('Z', '000Z'),
    });
  });

  test('serves a token of every role with settings:admin, and a session', async () => {
    const app = await testApp();
    const { headers } = await member(app, 'readonly', ['settings:admin']);
    const weak = await member(app, 'owner', ['memory:search', 'memory:admin']);
    const send = browser(app, await signedIn(app, await person(app, 'member')));

    const answers = [
      await app.send('POST', PATH, undefined, headers),
      await send('POST', PATH),
      await app.send('POST', PATH, undefined, weak.headers),
    ];

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 403]);
  });

  test('gives a bound token no link to the other organizations of its user', async () => {
    const app = await testApp();
    const bound = await member(app, 'owner', ['settings:admin', `organization:${app.organizationId}`]);
    const before = await app.send('POST', PATH, undefined, bound.headers);
    const other = await foundOrganization(app.deps);
    await app.deps.store.transact(other.organizationId, ({ accounts }) =>
      accounts.insertMember({ userId: bound.userId, role: 'readonly', joinedAt: 1 }),
    );

    const after = await app.send('POST', PATH, undefined, bound.headers);

    expect(before.status).toBe(201);
    expect(after).toMatchObject({ status: 403, body: { code: 'organization_forbidden' } });
  });

  test('is recorded for the owners of each organization that the link opens, without the code', async () => {
    const app = await testApp();
    const somebody = await person(app, 'member');
    const other = await foundOrganization(app.deps);
    await app.deps.store.transact(other.organizationId, ({ accounts }) =>
      accounts.insertMember({ userId: somebody.userId, role: 'member', joinedAt: 1 }),
    );

    const code = await createLink(app, { ...NONE, ...(await signedIn(app, somebody)) });

    for (const headers of [{}, { authorization: `Bearer ${other.token}` }]) {
      const { body, text } = await app.send(
        'GET',
        '/api/organization/audit-events?action=sign_in_link.create',
        undefined,
        headers,
      );
      expect(body.auditEvents).toMatchObject([
        {
          actor: { type: 'user', id: somebody.userId },
          source: 'dashboard',
          metadata: { targetId: somebody.userId },
        },
      ]);
      expect(text).not.toContain(code);
    }
    expect(JSON.stringify(app.logged)).not.toContain(code);
  });
});

describe('getSignInLink', () => {
  test('names the account and its organizations, and leaves the link valid', async () => {
    const app = await testApp();
    const { headers, email } = await member(app, 'readonly', ['settings:admin']);
    const code = await createLink(app, headers);

    const answers = [await preview(app, code), await preview(app, code)];

    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({
        email,
        organizations: [{ id: app.organizationId, name: 'default', role: 'readonly' }],
        expiresAt: expect.any(String),
        setsPassword: false,
      });
    }
    expect((await redeem(app, code)).status).toBe(201);
  });
});

describe('redeemSignInLink', () => {
  test('starts the session of a sign-in, without a password', async () => {
    const app = await testApp();
    const { headers, userId, email } = await member(app, 'member', ['settings:admin']);

    const answer = await redeem(app, await createLink(app, headers));
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    const send = browser(app, { cookie: cookie.split(';')[0], 'x-csrf-token': String(answer.body.csrfToken) });

    expect(cookie).toMatch(/^memory_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(answer.body).toMatchObject({ user: { id: userId, email }, credential: { type: 'session' } });
    expect((await send('POST', '/api/memories', { content: 'a' })).status).toBe(201);
  });

  test('works once, even for requests at the same moment', async () => {
    const app = await testApp();
    const code = await createLink(app);

    const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(app, code)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404, 404, 404, 404]);
  });

  test('leaves the other links of the person valid', async () => {
    const app = await testApp();
    const codes = [await createLink(app), await createLink(app)];

    const statuses = [];
    for (const code of codes) statuses.push((await redeem(app, code)).status);

    expect(statuses).toEqual([201, 201]);
  });

  test('answers wrong, used and expired codes, and those of a former password, identically', async () => {
    let now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });
    const somebody = await person(app, 'member');
    const send = browser(app, await signedIn(app, somebody));
    const former = codeIn((await send('POST', PATH)).body.link);
    await send('PUT', '/api/session/password', { currentPassword: PASSWORD, newPassword: `${PASSWORD}, again` });
    const [used, expired] = [await createLink(app), await createLink(app)];
    await redeem(app, used);
    now += 15 * MINUTE;
    const codes = ['', 'x', 'A'.repeat(43), used, expired, former, `${expired}x`];

    const answers = [];
    for (const code of codes) answers.push(await preview(app, code), await redeem(app, code));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ code: 'sign_in_link_invalid' });
    expect(answers.every(({ headers }) => headers['set-cookie'] === undefined)).toBe(true);
  });

  test('makes the address known, so that a flood does not lock out its person', async () => {
    const app = await testApp();
    const { headers, email } = await member(app, 'member', ['settings:admin']);

    await redeem(app, await createLink(app, headers));

    const user = await app.deps.store.accounts.findUserByEmail(email);
    expect(user?.signInPlaces).toEqual([{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), at: expect.any(Number) }]);
  });
});

test('codes count as attempts from their address, and only those', async () => {
  const limits = { ingest: PLENTY, search: PLENTY, admin: PLENTY, tools: PLENTY };
  const rateLimiter = new MemoryRateLimiter({ ...limits, signIn: 1, signInAddress: 4, signInAccount: 1 });
  const app = await testApp({ rateLimiter });
  const codes = [await createLink(app), await createLink(app), await createLink(app)];

  const statuses = [];
  for (const code of codes) statuses.push((await preview(app, code)).status, (await redeem(app, code)).status);

  expect(statuses).toEqual([200, 201, 200, 201, 429, 429]);
});
