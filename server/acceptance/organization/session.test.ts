import { describe, expect, test } from 'vitest';
import type { Role } from '../../domain/account/role.js';
import { browser, PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { foundOrganization, member, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/session';
const HOUR = 3_600_000_000;

describe('signIn', () => {
  test('sets a cookie that no script and no other site can use, and returns the header value to send with it', async () => {
    const app = await testApp();
    const { email, userId } = await person(app, 'member');

    const body = { email: email.toUpperCase(), password: PASSWORD };
    const answer = await app.send('POST', PATH, body, { authorization: undefined });

    expect(answer).toMatchObject({
      status: 201,
      body: {
        user: { id: userId, email },
        credential: {
          type: 'session',
          abilities: ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'],
        },
        organization: { id: app.organizationId, role: 'member' },
        csrfToken: expect.any(String),
      },
    });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^memory_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('requires HTTPS for the cookie in production', async () => {
    const app = await testApp({ access: { wildcard: false, secureCookies: true, publicUrl: undefined } });
    const { email } = await person(app, 'member');

    const answer = await app.send('POST', PATH, { email, password: PASSWORD }, { authorization: undefined });

    const [cookie] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-memory_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  });

  test('answers an unknown address, a wrong password and an account without one identically', async () => {
    const app = await testApp();
    const { email } = await person(app, 'member');
    const tokenOnly = await member(app, 'member', []);
    const attempts = [
      { email, password: 'something else entirely' },
      { email: 'nobody@example.test', password: PASSWORD },
      { email: tokenOnly.email, password: PASSWORD },
      { email, password: '' },
    ];

    const answers = await Promise.all(
      attempts.map((body) => app.send('POST', PATH, body, { authorization: undefined })),
    );

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.every(({ headers }) => headers['set-cookie'] === undefined)).toBe(true);
  });

  test('hashes a password for an unknown address too, so that the response time reveals nothing', async () => {
    const asked: (string | undefined)[] = [];
    const verify = async (_password: string, hash: string | undefined) => {
      asked.push(hash);
      return false;
    };
    const app = await testApp({ passwords: { hash: async () => 'hash', verify } });
    const { email } = await person(app, 'member');

    for (const given of [email, 'nobody@example.test']) {
      await app.send('POST', PATH, { email: given, password: PASSWORD }, { authorization: undefined });
    }

    expect(asked).toEqual(['hash', undefined]);
  });

  test('counts attempts by address and by account, and rejects even the right password after the last one', async () => {
    const app = await testApp();
    const { email } = await person(app, 'member');
    const body = { email, password: PASSWORD };

    await app.send('POST', PATH, body, { authorization: undefined });
    app.rateLimiter.state = { allowed: false, limit: 10, remaining: 0, resetMs: 3_200 };
    const refused = await app.send('POST', PATH, body, { authorization: undefined });

    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '4' } });
    const credentialId = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(app.rateLimiter.consumed.slice(0, 3)).toMatchObject([
      { limitClass: 'signInAddress', credentialId },
      { limitClass: 'signIn', credentialId },
      { limitClass: 'signInAccount', credentialId },
    ]);
  });
});

describe('a session', () => {
  test.each<[Role, Record<string, number>]>([
    ['owner', { search: 200, ingest: 201, settings: 200, tokens: 201, members: 200 }],
    ['member', { search: 200, ingest: 201, settings: 403, tokens: 201, members: 403 }],
    ['readonly', { search: 200, ingest: 403, settings: 403, tokens: 201, members: 403 }],
  ])('lets a user who is %s do what the role allows', async (role, expected) => {
    const app = await testApp();
    const send = browser(app, await signedIn(app, await person(app, role)));

    const answers = {
      search: await send('POST', '/api/memories/search', { query: 'a' }),
      ingest: await send('POST', '/api/memories', { content: 'a' }),
      settings: await send('PATCH', '/api/organization/settings', { semanticDedupe: true }),
      tokens: await send('POST', '/api/organization/tokens', { name: 't', abilities: ['memory:search'] }),
      members: await send('GET', '/api/organization/members'),
    };

    const statuses = Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
    expect(statuses).toEqual(expected);
  });

  test('requires its header for every change, and no header to read', async () => {
    const app = await testApp();
    const owner = await person(app, 'owner');
    const { cookie } = await signedIn(app, owner);
    const other = await signedIn(app, owner);
    const send = browser(app, { cookie });

    const without = await send('POST', '/api/memories', { content: 'a' });
    const ofAnother = await send('POST', '/api/memories', { content: 'a' }, { 'x-csrf-token': other['x-csrf-token'] });
    const read = await send('GET', '/api/memories/recent');

    for (const answer of [without, ofAnother]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'csrf_token_invalid' } });
    }
    expect(read.body).toMatchObject({ results: [] });
  });

  test('is ignored beside a token', async () => {
    const app = await testApp();
    const headers = await signedIn(app, await person(app, 'owner'));

    const wrong = await app.send('GET', PATH, undefined, { ...headers, authorization: 'Bearer x' });
    const right = await app.send('GET', PATH, undefined, headers);

    expect(wrong.status).toBe(401);
    expect(right.body).toMatchObject({ credential: { type: 'token' } });
  });

  test('writes audit events of its user, with the dashboard as source', async () => {
    const app = await testApp();
    const owner = await person(app, 'owner');
    const send = browser(app, await signedIn(app, owner));

    await send('POST', '/api/organization/tokens', { name: 't', abilities: ['memory:search'] });

    const { body } = await app.send('GET', '/api/organization/audit-events?action=token.create');
    expect(body.auditEvents).toMatchObject([
      { actor: { type: 'user', id: owner.userId, userId: owner.userId }, source: 'dashboard' },
    ]);
  });

  test('ends after twelve hours without a request or seven days in total, and not before', async () => {
    let now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });
    const somebody = await person(app, 'member');
    const idle = browser(app, await signedIn(app, somebody));
    const busy = browser(app, await signedIn(app, somebody));

    const statuses: number[] = [];
    for (let hours = 0; hours < 7 * 24; hours += 11) {
      statuses.push((await busy('GET', PATH)).status);
      now += 11 * HOUR;
    }
    now = 1_700_000_000_000_000 + 7 * 24 * HOUR;

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await busy('GET', PATH)).status).toBe(401);
    now = 1_700_000_000_000_000 + 12 * HOUR;
    expect((await idle('GET', PATH)).status).toBe(401);
    now -= 1;
    expect((await idle('GET', PATH)).status).toBe(200);
  });

  test.each([
    '',
    'memory_session=',
    'memory_session=x',
    `memory_session=${'A'.repeat(43)}`,
    'other=1; memory_session=y',
  ])('is not opened by the cookie %j', async (cookie) => {
    const app = await testApp();

    const answer = await app.send('GET', PATH, undefined, { authorization: undefined, cookie });

    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  test.each([
    [true, '__Host-memory_session', 'memory_session'],
    [false, 'memory_session', '__Host-memory_session'],
  ])(
    'is read from one cookie of the right name only, if cookies are secure: %s',
    async (secureCookies, right, wrong) => {
      const app = await testApp({ access: { wildcard: false, secureCookies, publicUrl: undefined } });
      const { cookie } = await signedIn(app, await person(app, 'member'));
      const secret = cookie.split('=')[1] ?? '';
      const planted = 'A'.repeat(43);
      const cookies = [
        `${right}=${secret}`,
        `other=1; ${right}=${secret}; my_memory_session=2`,
        `${wrong}=${secret}`,
        `${right}=${secret}; ${right}=${planted}`,
        `${right}=${planted}; ${right}=${secret}`,
        `${right}=${secret}; ${wrong}=${planted}`,
        `${wrong}=${secret}; ${right}=${secret}`,
        `${right}=${secret}; ${right}=${secret}`,
      ];

      const statuses = [];
      for (const sent of cookies) statuses.push((await browser(app, { cookie: sent })('GET', PATH)).status);
      const beside = await app.send('GET', PATH, undefined, { cookie: cookies[4] });

      expect(statuses).toEqual([200, 200, ...Array(6).fill(401)]);
      expect(beside.body).toMatchObject({ credential: { type: 'token' } });
    },
  );

  test('acts in the organization that the header names, if its user is in several', async () => {
    const app = await testApp();
    const somebody = await person(app, 'member');
    const other = await foundOrganization(app.deps);
    await app.deps.store.transact(other.organizationId, ({ accounts }) =>
      accounts.insertMember({ userId: somebody.userId, role: 'readonly', joinedAt: 1 }),
    );
    const send = browser(app, await signedIn(app, somebody));

    const unnamed = await send('GET', PATH);
    const recent = await send('GET', '/api/memories/recent');
    const named = await send('GET', PATH, undefined, { 'x-organization-id': other.organizationId });
    const foreign = await foundOrganization(app.deps);
    const refused = await send('GET', PATH, undefined, { 'x-organization-id': foreign.organizationId });

    expect(unnamed.body).toMatchObject({ organization: null, organizations: [{}, {}], credential: { abilities: [] } });
    expect(recent).toMatchObject({ status: 403, body: { code: 'organization_forbidden' } });
    expect(named.body).toMatchObject({ organization: { id: other.organizationId, role: 'readonly' } });
    expect(refused.status).toBe(403);
  });
});

describe('getSession', () => {
  test('returns the user and the organization of a token', async () => {
    const app = await testApp();
    const bound = `organization:${app.organizationId}`;
    const { headers, userId, email, tokenId } = await member(app, 'readonly', [
      'memory:search',
      'memory:ingest',
      bound,
    ]);

    const answer = await app.send('GET', PATH, undefined, headers);

    expect(answer.body).toEqual({
      user: { id: userId, email },
      credential: { type: 'token', id: tokenId, name: 'readonly', abilities: ['memory:search'] },
      organization: { id: app.organizationId, name: 'default', role: 'readonly' },
      organizations: [{ id: app.organizationId, name: 'default', role: 'readonly' }],
    });
  });

  test('reveals to a bound token no other organizations of its user', async () => {
    const app = await testApp();
    const { headers, userId } = await member(app, 'member', ['*', `organization:${app.organizationId}`]);
    const other = await foundOrganization(app.deps);
    await app.deps.store.transact(other.organizationId, ({ accounts }) =>
      accounts.insertMember({ userId, role: 'owner', joinedAt: 1 }),
    );

    const answer = await app.send('GET', PATH, undefined, headers);

    expect(answer.text).not.toContain(other.organizationId);
  });
});

describe('signOut', () => {
  test('ends the session for every copy of its cookie, and deletes the cookie', async () => {
    const app = await testApp();
    const somebody = await person(app, 'member');
    const headers = await signedIn(app, somebody);
    const another = browser(app, await signedIn(app, somebody));
    const send = browser(app, headers);

    const out = await send('DELETE', PATH);

    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']?.[0]).toMatch(/^memory_session=; .*Max-Age=0$/);
    expect((await send('GET', PATH)).status).toBe(401);
    expect((await another('GET', PATH)).status).toBe(200);
  });

  test('requires a session, and the header of its page', async () => {
    const app = await testApp();
    const { cookie } = await signedIn(app, await person(app, 'member'));

    expect((await app.send('DELETE', PATH)).status).toBe(401);
    expect((await browser(app, { cookie })('DELETE', PATH)).status).toBe(403);
  });
});
