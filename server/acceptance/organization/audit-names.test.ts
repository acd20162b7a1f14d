import { expect, test } from 'vitest';
import { foundOrganization, member, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organization/audit-events';

async function actors(app: TestApp, query = ''): Promise<Record<string, string>[]> {
  const { body } = await app.send('GET', `${PATH}${query}`);
  return (body.auditEvents as { actor: Record<string, string> }[]).map(({ actor }) => actor);
}

test('an actor has the name of its token and the address of its person', async () => {
  const app = await testApp();
  const ben = await member(app, 'member', ['memory:ingest']);
  await app.send('POST', '/api/memories', { content: 'a' }, ben.headers);

  expect(await actors(app)).toEqual([
    { type: 'token', id: expect.any(String), userId: ben.userId, name: expect.any(String), email: ben.email },
  ]);
});

test('an actor who is no longer a member has no address', async () => {
  const app = await testApp();
  const ben = await member(app, 'member', ['memory:ingest']);
  await app.send('POST', '/api/memories', { content: 'a' }, ben.headers);

  await app.send('DELETE', `/api/organization/members/${ben.userId}`);

  const [actor] = await actors(app, '?action=memory.ingest');
  expect(actor).toMatchObject({ id: expect.any(String), userId: ben.userId, name: expect.any(String) });
  expect(actor).not.toHaveProperty('email');
});

test('an actor of another organization has neither name nor address', async () => {
  const app = await testApp();
  const { deps, organizationId } = app;
  const other = await foundOrganization(deps);
  const stranger = await member({ deps, organizationId: other.organizationId }, 'owner', []);
  const actor = { type: 'token', id: stranger.tokenId, userId: stranger.userId } as const;
  const event = {
    id: deps.newId(),
    occurredAt: 1,
    action: 'memory.ingest',
    actor,
    source: 'rest',
    metadata: {},
  } as const;

  await deps.store.transact(organizationId, (unit) => unit.recordAudit(event));

  expect(await actors(app)).toEqual([actor]);
});
