import { describe, expect, test } from 'vitest';
import { jobHandlers } from '../../jobs/handlers.js';
import { browser, person, signedIn } from '../../testing/app/sign-in.js';
import { foundOrganization, member, type TestApp, testApp } from '../../testing/app/test-app.js';
import { ToolClient } from '../../testing/app/tool-client.js';
import { subscribe } from '../../testing/fixtures/subscriptions.js';
import { aPush, sha } from '../../testing/inbound/code-host.js';
import { Sender } from '../../testing/inbound/sender.js';

const PATH = '/api/organization/delete';
const MEMORIES = '/api/memories';
const CONFIRMED = { name: 'default' };

async function inSession(app: TestApp, role: 'owner' | 'member' | 'readonly' = 'owner') {
  return browser(app, await signedIn(app, await person(app, role)));
}

/** Runs the jobs after the time in which a deletion settles, until the data is removed. */
async function removeData({ deps }: TestApp): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    deps.jobs.onFinished(({ name, outcome }) => name === 'delete-organization' && outcome === 'done' && resolve());
  });
  await deps.jobs.start(jobHandlers({ ...deps, now: () => deps.now() + 61_000_000 }));
  await ended;
}

describe('deleteOrganization', () => {
  test('makes the organization unreachable at once for tokens, tools and sessions', async () => {
    const app = await testApp();
    const send = await inSession(app);
    const tools = await ToolClient.connect(app);
    const reader = await member(app, 'readonly', ['*']);
    await app.send('POST', MEMORIES, { content: 'a' });
    await app.send('POST', `${MEMORIES}/search`, { query: 'a' }, reader.headers);

    const answer = await send('POST', PATH, CONFIRMED);

    expect(answer).toMatchObject({ status: 204, text: '' });
    for (const headers of [{}, reader.headers]) {
      expect((await app.send('GET', `${MEMORIES}/recent`, undefined, headers)).status).toBe(401);
      expect((await app.send('POST', MEMORIES, { content: 'b' }, headers)).status).toBe(401);
    }
    await expect(tools.call('memory_search', { query: 'a' })).rejects.toThrow(/401|credential|token/i);
    expect((await send('GET', '/api/session')).body.organizations).toEqual([]);
    const here = { 'x-organization-id': app.organizationId };
    expect((await send('GET', '/api/organization', undefined, here)).status).toBe(403);
    expect((await send('POST', PATH, CONFIRMED)).status).toBe(403);
  });

  test('stops senders and invitations', async () => {
    const app = await testApp();
    const send = await inSession(app);
    const sender = await Sender.register(app, 'codehost');
    const invited = await app.send('POST', '/api/organization/invitations', {
      email: 'ben@example.test',
      role: 'member',
    });
    const push = () => sender.deliver(aPush([{ id: sha(1), message: 'One' }]));
    expect((await push()).status).toBe(202);

    await send('POST', PATH, CONFIRMED);

    expect(await push()).toMatchObject({ status: 401, body: { code: 'invalid_signature' } });
    const token = String(invited.body.link).split('/').at(-1);
    const accepting = { token, email: 'ben@example.test', password: 'a long and secret phrase' };
    const answer = await app.send('POST', '/api/invitations/accept', accepting, { authorization: undefined });
    expect(answer).toMatchObject({ status: 404, body: { code: 'invitation_invalid' } });
  });

  test('removes the data of the organization by a job, and nothing of another', async () => {
    const app = await testApp();
    const send = await inSession(app);
    const other = await foundOrganization(app.deps);
    const elsewhere = { authorization: `Bearer ${other.token}` };
    await app.send('POST', MEMORIES, { content: 'a' });
    await app.send('POST', MEMORIES, { content: 'a' }, elsewhere);

    await send('POST', PATH, CONFIRMED);
    const { deletions } = app.deps.store;
    expect(await deletions.list()).toMatchObject([{ organizationId: app.organizationId }]);
    await removeData(app);

    expect(await deletions.list()).toEqual([]);
    expect((await app.send('GET', `${MEMORIES}/recent`, undefined, elsewhere)).body.results).toHaveLength(1);
    const { organizationId } = app;
    expect(app.logged.filter(({ level }) => level === 'info')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ organizationId, userId: expect.any(String), requestId: expect.any(String) }),
        { level: 'info', organizationId },
      ]),
    );
  });

  test('keeps the accounts of people, who may sign in and make another organization', async () => {
    const app = await testApp();
    const owner = await person(app, 'owner');
    const send = browser(app, await signedIn(app, owner));
    await send('POST', PATH, CONFIRMED);

    const again = browser(app, await signedIn(app, owner));
    const made = await again('POST', '/api/organizations', { name: 'next' });

    expect(made.status).toBe(201);
    expect((await again('POST', MEMORIES, { content: 'a' })).status).toBe(201);
  });

  test('deletes only the organization that the header names', async () => {
    const app = await testApp();
    const send = await inSession(app);
    const { body: made } = await send('POST', '/api/organizations', { name: 'another' });

    const unnamed = await send('POST', PATH, { name: 'another' });
    const named = await send('POST', PATH, { name: 'another' }, { 'x-organization-id': String(made.id) });

    expect([unnamed, named].map(({ status }) => status)).toEqual([403, 204]);
    expect((await send('GET', '/api/session')).body.organizations).toMatchObject([{ id: app.organizationId }]);
    expect((await app.send('POST', MEMORIES, { content: 'a' })).status).toBe(201);
  });

  test('needs a session of an owner', async () => {
    const app = await testApp();
    const stranger = await inSession(await testApp());

    expect((await app.send('POST', PATH, CONFIRMED)).status).toBe(401);
    for (const role of ['member', 'readonly'] as const) {
      const send = await inSession(app, role);
      expect(await send('POST', PATH, CONFIRMED)).toMatchObject({ status: 403, body: { code: 'owner_required' } });
    }
    const there = { 'x-organization-id': app.organizationId };
    expect((await stranger('POST', PATH, CONFIRMED, there)).status).toBe(403);
    const { cookie } = await signedIn(app, await person(app, 'owner'));
    const forged = await app.send('POST', PATH, CONFIRMED, { authorization: undefined, cookie });
    expect(forged).toMatchObject({ status: 403, body: { code: 'csrf_token_invalid' } });
    expect((await app.send('GET', '/api/organization')).status).toBe(200);
  });

  test.each([{}, { name: '' }, { name: 'Default' }, { name: 'another' }, { name: 'default', force: true }])(
    'rejects %j with 422, and deletes nothing',
    async (body) => {
      const app = await testApp();
      const send = await inSession(app);

      expect((await send('POST', PATH, body)).status).toBe(422);
      expect((await app.send('GET', '/api/organization')).status).toBe(200);
    },
  );

  test.each([
    [{ status: 'active' }, 409],
    [{ status: 'trialing' }, 409],
    [{ status: 'past_due' }, 409],
    [{ status: 'unpaid' }, 409],
    [{ status: 'paused' }, 409],
    [{ status: 'active', cancelAtPeriodEnd: true }, 204],
    [{ status: 'active', id: 'provisioned' }, 204],
    [{ status: 'canceled' }, 204],
    [{ status: 'incomplete_expired' }, 204],
  ])('with a subscription that is %j answers %i', async (subscription, status) => {
    const app = await testApp();
    const send = await inSession(app);
    await subscribe(app.deps, app.organizationId, subscription);

    const answer = await send('POST', PATH, CONFIRMED);

    expect(answer.status).toBe(status);
    expect(answer.body?.code).toBe(status === 409 ? 'subscription_open' : undefined);
    expect((await app.send('GET', '/api/organization')).status).toBe(status === 409 ? 200 : 401);
  });

  test('answers requests that are under way as before or as without access', async () => {
    const app = await testApp();
    const [one, another] = [await inSession(app), await inSession(app)];
    const write = (n: number) => app.send('POST', MEMORIES, { content: `number ${n}` });
    const search = () => app.send('POST', `${MEMORIES}/search`, { query: 'number' });

    const [first, second, ...others] = await Promise.all([
      one('POST', PATH, CONFIRMED),
      another('POST', PATH, CONFIRMED),
      ...Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? write(n) : search())),
    ]);

    expect([first.status, second.status].sort()).toEqual([204, 403]);
    expect(others.filter(({ status }) => ![200, 201, 401, 403].includes(status))).toEqual([]);
    await removeData(app);
    expect(await app.deps.store.deletions.list()).toEqual([]);
  });
});
