import { describe, expect, test } from 'vitest';
import type { Role } from '../../domain/account/role.js';
import { foundOrganization, member, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organization/tokens';

/** Adds a member whose token has every ability that can be granted. */
async function managing(app: TestApp, role: Role): Promise<Record<string, string>> {
  return (await member(app, role, ['*'])).headers;
}

describe('createToken', () => {
  test('shows a token once, bound to the organization and valid at once for its abilities', async () => {
    const app = await testApp();

    const made = await app.send('POST', PATH, { name: 'agent', abilities: ['memory:search', 'memory:search'] });

    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'agent',
        abilities: ['memory:search', `organization:${app.organizationId}`],
        prefix: String(made.body.token).slice(0, 8),
        lastFour: String(made.body.token).slice(-4),
      },
    });
    const headers = { authorization: `Bearer ${made.body.token}` };
    expect((await app.send('GET', '/api/memories/recent', undefined, headers)).status).toBe(200);
    expect((await app.send('POST', '/api/memories', { content: 'a' }, headers)).status).toBe(403);
    expect((await app.send('GET', PATH)).text).not.toContain(made.body.token);
  });

  test('makes a token that expires at the requested time', async () => {
    let now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });
    const expiresAt = '2023-11-15T00:00:00Z';

    const made = await app.send('POST', PATH, { name: 'short', abilities: ['memory:search'], expiresAt });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const before = await app.send('GET', '/api/session', undefined, headers);
    now = Date.parse(expiresAt) * 1_000;
    const after = await app.send('GET', '/api/session', undefined, headers);

    expect(made.body.expiresAt).toBe('2023-11-15T00:00:00.000000Z');
    expect([before.status, after.status]).toEqual([200, 401]);
  });

  test('makes at most a hundred active tokens for a person, however many are requested at the same time', async () => {
    const app = await testApp();
    const reader = await managing(app, 'readonly');
    const make = (headers?: Record<string, string>) =>
      app.send('POST', PATH, { name: 'one of many', abilities: ['memory:search'] }, headers);
    for (let made = 1; made < 95; made += 1) await make(reader);

    const answers = await Promise.all(Array.from({ length: 12 }, () => make(reader)));
    const refused = answers.filter(({ status }) => status === 409);
    const ofAnother = await make();
    const { id } = answers.find(({ status }) => status === 201)!.body;
    await app.send('DELETE', `${PATH}/${id}`, undefined, reader);
    const [after, afterThat] = [await make(reader), await make(reader)];

    expect(refused).toHaveLength(7);
    expect(refused[0]?.body).toMatchObject({ code: 'token_limit_reached', error: expect.stringContaining('revoke') });
    expect([ofAnother.status, after.status, afterThat.status]).toEqual([201, 201, 409]);
  });

  test.each<[Role, string[], number]>([
    ['owner', ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'], 201],
    ['owner', ['*'], 201],
    ['member', ['memory:ingest', 'memory:search', 'memory:admin'], 201],
    ['member', ['memory:search', 'settings:admin'], 403],
    ['member', ['*'], 403],
    ['readonly', ['memory:search'], 201],
    ['readonly', ['memory:search', 'memory:ingest'], 403],
    ['readonly', ['memory:admin'], 403],
  ])('answers a user who is %s and grants %j with %i', async (role, abilities, status) => {
    const app = await testApp();
    const headers = await managing(app, role);

    const answer = await app.send('POST', PATH, { name: 't', abilities }, headers);

    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.code).toBe('ability_denied');
  });

  test.each<[unknown, string]>([
    [{ abilities: ['memory:search'] }, 'name'],
    [{ name: ' ', abilities: ['memory:search'] }, 'name'],
    [{ name: 't', abilities: [] }, 'abilities'],
    [{ name: 't', abilities: ['memory:everything'] }, 'abilities'],
    [{ name: 't', abilities: ['organization:0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11', 'memory:search'] }, 'abilities'],
    [{ name: 't', abilities: ['memory:search'], expiresAt: '2020-01-01' }, 'expiresAt'],
    [{ name: 't', abilities: ['memory:search'], expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ name: 't', abilities: ['memory:search'], userId: 'x' }, 'userId'],
  ])('rejects %j with 422', async (body, path) => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, body);

    expect(answer).toMatchObject({ status: 422, body: { details: [{ path }] } });
  });

  test('issues no * in production, and does not accept an existing one', async () => {
    const app = await testApp({ access: { wildcard: false, secureCookies: true, publicUrl: undefined } });
    const { headers } = await member(app, 'owner', ['settings:admin']);

    const made = await app.send('POST', PATH, { name: 't', abilities: ['*'] }, headers);
    const used = await app.send('GET', '/api/memories/recent');

    expect(made).toMatchObject({ status: 422, body: { details: [{ path: 'abilities' }] } });
    expect(used).toMatchObject({ status: 403, body: { code: 'ability_denied' } });
  });
});

describe('listTokens', () => {
  test('shows an owner every token of the organization, and others their own', async () => {
    const app = await testApp();
    const [ana, ben] = [await member(app, 'member', ['*']), await member(app, 'readonly', ['*'])];
    await foundOrganization(app.deps);

    const idsOf = async (headers?: Record<string, string>) => {
      const { body } = await app.send('GET', PATH, undefined, headers);
      return (body.tokens as { userId: string }[]).map(({ userId }) => userId);
    };

    expect(await idsOf(ana.headers)).toEqual([ana.userId]);
    expect(await idsOf(ben.headers)).toEqual([ben.userId]);
    expect(await idsOf()).toEqual(expect.arrayContaining([ana.userId, ben.userId]));
    expect(await idsOf()).toHaveLength(3);
  });

  test('returns pages, and when each token was last used', async () => {
    const app = await testApp();
    for (const name of ['a', 'b', 'c']) await app.send('POST', PATH, { name, abilities: ['memory:search'] });

    const names: unknown[] = [];
    let cursor: unknown;
    do {
      const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
      const { body } = await app.send('GET', `${PATH}?limit=3${query}`);
      names.push(...(body.tokens as { name: string }[]).map(({ name }) => name));
      cursor = body.nextCursor;
    } while (cursor !== undefined);

    expect(names).toEqual(['first start', 'a', 'b', 'c']);
    expect(await app.send('GET', `${PATH}?cursor=x`)).toMatchObject({
      status: 422,
      body: { details: [{ path: 'cursor' }] },
    });
  });
});

describe('listTokens with includeRevoked', () => {
  test('shows when and by whom a token was revoked, and the address only to owners', async () => {
    const app = await testApp();
    const member = await managing(app, 'member');
    const { body: made } = await app.send('POST', PATH, { name: 'gone', abilities: ['memory:search'] }, member);
    await app.send('DELETE', `${PATH}/${made.id}`);

    const listed = async (query: string, headers?: Record<string, string>) => {
      const { body } = await app.send('GET', `${PATH}${query}`, undefined, headers);
      return (body.tokens as { id: string }[]).find(({ id }) => id === made.id);
    };
    const [byOwner, byMember] = [await listed('?includeRevoked=true'), await listed('?includeRevoked=1', member)];

    const { token: _, ...shown } = made;
    const revocation = { revokedAt: expect.any(String), revokedBy: expect.any(String) };
    expect(byOwner).toEqual({ ...shown, ...revocation, revokedByEmail: expect.stringContaining('@') });
    expect(byMember).toEqual({ ...shown, ...revocation });
    expect(await listed('')).toBeUndefined();
  });

  test('shows only the id of somebody who is no longer a member', async () => {
    const app = await testApp();
    const owner = await member(app, 'owner', ['*']);
    const { body: made } = await app.send('POST', PATH, { name: 'gone', abilities: ['memory:search'] });
    await app.send('DELETE', `${PATH}/${made.id}`, undefined, owner.headers);
    await app.send('DELETE', `/api/organization/members/${owner.userId}`);

    const { body } = await app.send('GET', `${PATH}?includeRevoked=true`);

    const gone = (body.tokens as { id: string; revokedBy?: string }[]).find(({ id }) => id === made.id);
    expect(gone).toMatchObject({ revokedBy: owner.userId });
    expect(gone).not.toHaveProperty('revokedByEmail');
  });
});

describe('revokeToken', () => {
  test('rejects the token from the next request on', async () => {
    const app = await testApp();
    const made = await app.send('POST', PATH, { name: 't', abilities: ['memory:search'] });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const before = await app.send('GET', '/api/session', undefined, headers);

    const revoked = await app.send('DELETE', `${PATH}/${made.body.id}`);
    const after = await app.send('GET', '/api/session', undefined, headers);
    const again = await app.send('DELETE', `${PATH}/${made.body.id}`);

    expect([before.status, revoked.status, after.status, again.status]).toEqual([200, 204, 401, 404]);
  });

  test('lets owners revoke every token, and others only their own, as if no others existed', async () => {
    const app = await testApp();
    const [ana, ben] = [await member(app, 'member', ['*']), await member(app, 'member', ['*'])];
    const foreign = await foundOrganization(app.deps);
    const theirs = await app.send('GET', PATH, undefined, { authorization: `Bearer ${foreign.token}` });
    const foreignId = (theirs.body.tokens as { id: string }[])[0]!.id;

    const other = await app.send('DELETE', `${PATH}/${ben.tokenId}`, undefined, ana.headers);
    const unknown = await app.send('DELETE', `${PATH}/${app.deps.newId()}`, undefined, ana.headers);
    const ofElsewhere = await app.send('DELETE', `${PATH}/${foreignId}`);
    const own = await app.send('DELETE', `${PATH}/${ana.tokenId}`, undefined, ana.headers);
    const byOwner = await app.send('DELETE', `${PATH}/${ben.tokenId}`);

    expect([other.status, unknown.status, ofElsewhere.status]).toEqual([404, 404, 404]);
    expect(other.text).toBe(unknown.text);
    expect([own.status, byOwner.status]).toEqual([204, 204]);
  });
});
