import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';
import {
  EVERY_EVENT,
  OUTBOUND_WEBHOOKS,
  type RegisteredWebhook,
  registerWebhook,
} from '../../testing/fixtures/outbound-webhooks.js';

const MEMORIES = '/api/memories';

describe('createOutboundWebhook', () => {
  test('answers 201 with a secret that no later answer contains', async () => {
    const app = await testApp();

    const created = await app.send('POST', OUTBOUND_WEBHOOKS, { ...EVERY_EVENT, description: 'the wiki' });

    expect(created).toMatchObject({
      status: 201,
      body: {
        ...EVERY_EVENT,
        description: 'the wiki',
        enabled: true,
        secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      },
    });
    const { id, secret } = created.body as RegisteredWebhook;
    const got = await app.send('GET', `${OUTBOUND_WEBHOOKS}/${id}`);
    const listed = await app.send('GET', OUTBOUND_WEBHOOKS);
    const patched = await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, { description: 'another' });
    const stored = await app.deps.store.outbound.findWebhook(app.organizationId, id);
    for (const { text } of [got, listed, patched]) expect(text).not.toContain(secret);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(JSON.stringify(app.logged)).not.toContain(secret);
  });

  test.each([
    ['http', { url: 'http://example.com/hook' }],
    ['a private address', { url: 'https://10.0.0.1/hook' }],
    ['a password', { url: 'https://user:password@example.com/' }],
    ['an invalid URL', { url: 'example.com' }],
    ['an empty list of events', { events: [] }],
    ['an event twice', { events: ['memory.deleted', 'memory.deleted'] }],
    ['an unknown event', { events: ['memory.read'] }],
    ['an unknown field', { secret: 'mine' }],
  ])('rejects %s with 422', async (_, change) => {
    const app = await testApp();

    const answer = await app.send('POST', OUTBOUND_WEBHOOKS, { ...EVERY_EVENT, ...change });

    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(answer.text).not.toMatch(/password@|mine/);
  });

  test('rejects the twenty-first with 409', async () => {
    const app = await testApp();
    for (let n = 0; n < 20; n++) await registerWebhook(app);

    const answer = await app.send('POST', OUTBOUND_WEBHOOKS, EVERY_EVENT);

    expect(answer).toMatchObject({ status: 409, body: { code: 'webhook_limit_reached' } });
  });
});

describe('the management of outbound webhooks', () => {
  test('requires an owner', async () => {
    const app = await testApp();
    const { id } = await registerWebhook(app);
    const member = await memberToken(app);

    const attempts = [
      app.send('POST', OUTBOUND_WEBHOOKS, EVERY_EVENT, member),
      app.send('GET', OUTBOUND_WEBHOOKS, undefined, member),
      app.send('GET', `${OUTBOUND_WEBHOOKS}/${id}`, undefined, member),
      app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, { enabled: false }, member),
      app.send('DELETE', `${OUTBOUND_WEBHOOKS}/${id}`, undefined, member),
      app.send('POST', `${OUTBOUND_WEBHOOKS}/${id}/rotate-secret`, undefined, member),
      app.send('POST', `${OUTBOUND_WEBHOOKS}/${id}/test`, undefined, member),
      app.send('POST', `${OUTBOUND_WEBHOOKS}/${id}/redeliver`, { since: '2026-03-01' }, member),
      app.send('GET', `${OUTBOUND_WEBHOOKS}/${id}/deliveries`, undefined, member),
      app.send('GET', `${OUTBOUND_WEBHOOKS}/${id}/deliveries/${id}`, undefined, member),
      app.send('POST', `${OUTBOUND_WEBHOOKS}/${id}/deliveries/${id}/redeliver`, undefined, member),
    ];

    const answers = await Promise.all(attempts);
    expect(answers.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
      attempts.map(() => [403, 'owner_required']),
    );
  });

  test('answers the same 404 for unknown, malformed and foreign ids', async () => {
    const app = await testApp();
    const { id } = await registerWebhook(app);
    const foreign = { authorization: `Bearer ${(await foundOrganization(app.deps)).token}` };

    const answers = await Promise.all(
      [id, app.deps.newId(), 'no-uuid'].flatMap((webhookId) => [
        app.send('GET', `${OUTBOUND_WEBHOOKS}/${webhookId}`, undefined, foreign),
        app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${webhookId}`, { enabled: false }, foreign),
        app.send('DELETE', `${OUTBOUND_WEBHOOKS}/${webhookId}`, undefined, foreign),
        app.send('POST', `${OUTBOUND_WEBHOOKS}/${webhookId}/rotate-secret`, undefined, foreign),
        app.send('POST', `${OUTBOUND_WEBHOOKS}/${webhookId}/test`, undefined, foreign),
        app.send('POST', `${OUTBOUND_WEBHOOKS}/${webhookId}/redeliver`, { since: '2026-03-01' }, foreign),
        app.send('GET', `${OUTBOUND_WEBHOOKS}/${webhookId}/deliveries`, undefined, foreign),
        app.send('GET', `${OUTBOUND_WEBHOOKS}/${webhookId}/deliveries/${id}`, undefined, foreign),
        app.send('POST', `${OUTBOUND_WEBHOOKS}/${webhookId}/deliveries/${id}/redeliver`, undefined, foreign),
      ]),
    );

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['404 {"error":"Not found"}']),
    );
  });

  test('lists webhooks page by page, in order of creation', async () => {
    const app = await testApp();
    const ids = [(await registerWebhook(app)).id, (await registerWebhook(app)).id, (await registerWebhook(app)).id];

    const first = await app.send('GET', `${OUTBOUND_WEBHOOKS}?limit=2`);
    const { nextCursor } = first.body as { nextCursor: string };
    const second = await app.send('GET', `${OUTBOUND_WEBHOOKS}?limit=2&cursor=${encodeURIComponent(nextCursor)}`);

    expect(first.body).toMatchObject({
      meta: { count: 2, hasMore: true },
      outboundWebhooks: [{ id: ids[0] }, { id: ids[1] }],
    });
    expect(second.body).toMatchObject({ meta: { count: 1, hasMore: false }, outboundWebhooks: [{ id: ids[2] }] });
    expect(second.body).not.toHaveProperty('nextCursor');
  });

  test('changes the given fields and keeps the rest', async () => {
    const app = await testApp();
    const { id } = await registerWebhook(app);

    const changed = await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, { events: ['memory.deleted'] });
    const off = await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, { enabled: false });
    const on = await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, { enabled: true, url: 'https://example.org/' });

    expect(changed).toMatchObject({
      status: 200,
      body: { url: EVERY_EVENT.url, events: ['memory.deleted'], enabled: true },
    });
    expect(off.body).toMatchObject({ enabled: false, disabledReason: 'owner', disabledAt: expect.any(String) });
    expect(on.body).toMatchObject({ enabled: true, url: 'https://example.org/', events: ['memory.deleted'] });
    expect(on.body).not.toHaveProperty('disabledAt');
  });

  test('rejects an empty change, and a URL that must not be sent to', async () => {
    const app = await testApp();
    const { id } = await registerWebhook(app);

    expect((await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, {})).status).toBe(422);
    expect((await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, { url: 'https://169.254.169.254/' })).status).toBe(
      422,
    );
  });

  test('deletes a webhook with its log', async () => {
    const app = await testApp();
    const { id } = await registerWebhook(app);
    await app.send('POST', MEMORIES, { content: 'a' });

    const removed = await app.send('DELETE', `${OUTBOUND_WEBHOOKS}/${id}`);

    expect(removed.status).toBe(204);
    expect((await app.send('GET', `${OUTBOUND_WEBHOOKS}/${id}`)).status).toBe(404);
    expect((await app.send('DELETE', `${OUTBOUND_WEBHOOKS}/${id}`)).status).toBe(404);
    expect(await app.deps.store.outbound.listDeliveries(app.organizationId, { webhookId: id, limit: 9 })).toEqual([]);
  });

  test('writes an audit event of each change, without secrets or URLs', async () => {
    const app = await testApp();
    const { id, secret } = await registerWebhook(app);
    await app.send('PATCH', `${OUTBOUND_WEBHOOKS}/${id}`, { enabled: false });
    await app.send('POST', `${OUTBOUND_WEBHOOKS}/${id}/rotate-secret`);
    await app.send('DELETE', `${OUTBOUND_WEBHOOKS}/${id}`);

    const answer = await app.send('GET', '/api/organization/audit-events');

    const { auditEvents } = answer.body as { auditEvents: { action: string; metadata: object }[] };
    expect(auditEvents.map(({ action, metadata }) => ({ action, ...metadata }))).toEqual([
      { action: 'outbound_webhook.delete', targetId: id },
      { action: 'outbound_webhook.rotate_secret', targetId: id },
      { action: 'outbound_webhook.update', targetId: id, changed: ['enabled'] },
      { action: 'outbound_webhook.create', targetId: id },
    ]);
    expect(answer.text).not.toContain(secret);
    expect(answer.text).not.toContain('example.com');
  });
});

async function memberToken(app: TestApp): Promise<{ authorization: string; 'x-organization-id': string }> {
  const { token, organizationId } = await foundOrganization(app.deps);
  const [member] = await app.deps.store.accounts.listMembers(organizationId, { limit: 1 });
  await app.deps.store.transact(app.organizationId, (unit) =>
    unit.accounts.insertMember({ userId: member!.userId, role: 'member', joinedAt: app.deps.now() }),
  );
  return { authorization: `Bearer ${token}`, 'x-organization-id': app.organizationId };
}
