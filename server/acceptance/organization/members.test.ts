import { describe, expect, test } from 'vitest';
import { foundOrganization, member, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organization/members';

describe('listMembers', () => {
  test('shows owners the members of the organization and their roles', async () => {
    const app = await testApp();
    const ana = await member(app, 'readonly', []);
    await foundOrganization(app.deps);

    const { body } = await app.send('GET', PATH);

    expect(body).toMatchObject({
      members: [{ role: 'owner' }, { userId: ana.userId, email: ana.email, role: 'readonly' }],
      meta: { count: 2, hasMore: false },
    });
  });

  test('requires an owner', async () => {
    const app = await testApp();
    const { headers } = await member(app, 'member', ['*']);

    expect(await app.send('GET', PATH, undefined, headers)).toMatchObject({
      status: 403,
      body: { code: 'owner_required' },
    });
  });
});

describe('updateMember', () => {
  test('changes what existing tokens may do, from the next request on', async () => {
    const app = await testApp();
    const { headers, userId } = await member(app, 'member', ['memory:ingest', 'memory:search']);
    const before = await app.send('POST', '/api/memories', { content: 'a' }, headers);

    const changed = await app.send('PATCH', `${PATH}/${userId}`, { role: 'readonly' });
    const after = await app.send('POST', '/api/memories', { content: 'b' }, headers);
    const read = await app.send('GET', '/api/memories/recent', undefined, headers);

    expect(changed).toMatchObject({ status: 200, body: { userId, role: 'readonly' } });
    expect([before.status, after.status, read.status]).toEqual([201, 403, 200]);
    expect(after.body.code).toBe('ability_denied');
  });

  test('requires an owner, and a member of this organization', async () => {
    const app = await testApp();
    const { headers, userId } = await member(app, 'member', ['*']);
    const foreign = await foundOrganization(app.deps);
    const theirs = await app.send('GET', '/api/session', undefined, { authorization: `Bearer ${foreign.token}` });
    const foreignId = (theirs.body.user as { id: string }).id;

    const promoting = await app.send('PATCH', `${PATH}/${userId}`, { role: 'owner' }, headers);
    const elsewhere = await app.send('PATCH', `${PATH}/${foreignId}`, { role: 'readonly' });
    const unknown = await app.send('PATCH', `${PATH}/${app.deps.newId()}`, { role: 'readonly' });

    expect(promoting).toMatchObject({ status: 403, body: { code: 'owner_required' } });
    expect([elsewhere.status, unknown.status]).toEqual([404, 404]);
    expect(elsewhere.text).toBe(unknown.text);
  });

  test('keeps one owner, however many resign at the same time', async () => {
    const app = await testApp();
    const { body } = await app.send('GET', '/api/session');
    const first = { userId: (body.user as { id: string }).id, headers: { authorization: `Bearer ${app.token}` } };
    const owners = [first, ...(await Promise.all([1, 2, 3].map(() => member(app, 'owner', ['settings:admin']))))];

    const answers = await Promise.all(
      owners.map(({ userId, headers }) => app.send('PATCH', `${PATH}/${userId}`, { role: 'member' }, headers)),
    );

    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('last_owner');
  });
});

describe('removeMember', () => {
  test('ends what the member’s tokens may do, at once and for good', async () => {
    const app = await testApp();
    const { headers, userId } = await member(app, 'member', ['*', `organization:${app.organizationId}`]);

    const removed = await app.send('DELETE', `${PATH}/${userId}`);
    const after = await app.send('GET', '/api/session', undefined, headers);
    await app.deps.store.transact(app.organizationId, ({ accounts }) =>
      accounts.insertMember({ userId, role: 'member', joinedAt: 1 }),
    );
    const back = await app.send('GET', '/api/session', undefined, headers);

    expect([removed.status, after.status, back.status]).toEqual([204, 401, 401]);
  });

  test('lets anyone leave, and only owners remove others', async () => {
    const app = await testApp();
    const [ana, ben] = [await member(app, 'readonly', ['*']), await member(app, 'member', ['*'])];

    const other = await app.send('DELETE', `${PATH}/${ben.userId}`, undefined, ana.headers);
    const self = await app.send('DELETE', `${PATH}/${ana.userId}`, undefined, ana.headers);

    expect(other).toMatchObject({ status: 403, body: { code: 'owner_required' } });
    expect(self.status).toBe(204);
  });

  test('keeps the last owner', async () => {
    const app = await testApp();
    const { body } = await app.send('GET', '/api/session');
    await member(app, 'member', []);

    const answer = await app.send('DELETE', `${PATH}/${(body.user as { id: string }).id}`);

    expect(answer).toMatchObject({ status: 409, body: { code: 'last_owner' } });
  });

  test('keeps one of two owners who remove each other at the same time', async () => {
    const app = await testApp();
    const owners = [await member(app, 'owner', ['*']), await member(app, 'owner', ['*'])];
    const { body } = await app.send('GET', '/api/session');
    await app.send('DELETE', `${PATH}/${(body.user as { id: string }).id}`);

    const [one, two] = owners;
    const answers = await Promise.all([
      app.send('DELETE', `${PATH}/${two!.userId}`, undefined, one!.headers),
      app.send('DELETE', `${PATH}/${one!.userId}`, undefined, two!.headers),
    ]);

    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(204);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  });
});
