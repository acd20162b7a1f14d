import { describe, expect, test } from 'vitest';
import { browser, person, signedIn } from '../../testing/app/sign-in.js';
import { member, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organizations';

async function aPerson(app: TestApp) {
  const ana = await person(app, 'member');
  return { ...ana, send: browser(app, await signedIn(app, ana)) };
}

describe('createOrganization', () => {
  test('makes an organization that the person owns, beside those that they have', async () => {
    const app = await testApp();
    const { send, userId, email } = await aPerson(app);

    const made = await send('POST', PATH, { name: '  Acme research ' });

    expect(made).toMatchObject({ status: 201, body: { name: 'Acme research', id: expect.any(String) } });
    const { body: self } = await send('GET', '/api/session');
    expect(self.organizations).toEqual([
      expect.objectContaining({ id: app.organizationId, role: 'member' }),
      { id: made.body.id, name: 'Acme research', role: 'owner' },
    ]);
    const there = { 'x-organization-id': String(made.body.id) };
    expect((await send('POST', '/api/memories', { content: 'a' }, there)).status).toBe(201);
    const { body } = await send('GET', '/api/organization/audit-events?action=organization.create', undefined, there);
    expect(body.auditEvents).toMatchObject([
      { actor: { type: 'user', id: userId, email }, source: 'dashboard', requestId: made.headers['x-request-id'] },
    ]);
  });

  test('needs a session: a token acts in one organization', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { name: 'Acme' });

    expect(answer.status).toBe(401);
  });

  test('makes at most twenty for a person, however many are requested at the same time', async () => {
    const app = await testApp();
    const { send } = await aPerson(app);
    for (let n = 0; n < 17; n += 1) await send('POST', PATH, { name: `number ${n}` });

    const answers = await Promise.all(Array.from({ length: 6 }, () => send('POST', PATH, { name: 'more' })));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('organization_limit_reached');
    expect(((await send('GET', '/api/session')).body.organizations as unknown[]).length).toBe(21);
  });

  test('counts against the limit of the administration, also without an organization', async () => {
    const app = await testApp();
    const { send } = await aPerson(app);
    await send('POST', PATH, { name: 'another' });

    const answer = await send('POST', PATH, { name: 'one more' });

    expect(answer.headers['ratelimit-policy']).toContain('admin');
  });

  test.each([[{}], [{ name: '' }], [{ name: ' ' }], [{ name: 'x'.repeat(101) }], [{ name: 'a', plan: 'free' }]])(
    'rejects %j with 422',
    async (body) => {
      const app = await testApp();
      const { send } = await aPerson(app);

      expect((await send('POST', PATH, body)).status).toBe(422);
    },
  );
});

describe('updateOrganization', () => {
  test('renames the organization, which every member sees', async () => {
    const app = await testApp();
    const reader = await member(app, 'readonly', ['*']);

    const renamed = await app.send('PATCH', '/api/organization', { name: ' Acme research ' });

    expect(renamed).toMatchObject({ status: 200, body: { id: app.organizationId, name: 'Acme research' } });
    expect((await app.send('GET', '/api/organization', undefined, reader.headers)).body).toEqual(renamed.body);
    expect((await app.send('GET', '/api/session')).body.organization).toMatchObject({ name: 'Acme research' });
  });

  test('records an event of a new name, and none of the same', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization', { name: 'Acme' });
    await app.send('PATCH', '/api/organization', { name: 'Acme ' });

    const { body } = await app.send('GET', '/api/organization/audit-events');

    expect(body.auditEvents).toMatchObject([{ action: 'organization.update', metadata: { changed: ['name'] } }]);
  });

  test('rejects members', async () => {
    const app = await testApp();
    const { headers } = await member(app, 'member', ['*']);

    const answer = await app.send('PATCH', '/api/organization', { name: 'Mine' }, headers);

    expect(answer).toMatchObject({ status: 403, body: { code: 'owner_required' } });
  });
});
