import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';
import { Sender } from '../../testing/inbound/sender.js';

const PATH = '/api/organization/inbound-webhooks';

describe('createInboundWebhook', () => {
  test('answers 201 with the URL to post to, all events of the kind, and a secret of 32 bytes', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { kind: 'codehost', name: 'acme/api' });

    expect(answer.status).toBe(201);
    const { id, secret } = answer.body;
    expect(answer.body).toMatchObject({
      kind: 'codehost',
      name: 'acme/api',
      events: ['push', 'issues'],
      enabled: true,
      path: `/webhooks/codehost/${id}`,
    });
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
  });

  test('accepts the secret of a sender that makes its own, and never returns it', async () => {
    const app = await testApp();
    const given = 'lin_wh_0123456789abcdef';

    const created = await app.send('POST', PATH, { kind: 'tracker', name: 'ENG', events: ['Issue'], secret: given });

    expect(created).toMatchObject({ status: 201, body: { events: ['Issue'], secret: given } });
    const [one, list] = [await app.send('GET', `${PATH}/${created.body.id}`), await app.send('GET', PATH)];
    expect(one.body).not.toHaveProperty('secret');
    expect(one.text + list.text).not.toContain(given);
  });

  test.each<[unknown, string]>([
    [{ name: 'a' }, 'kind'],
    [{ kind: 'mail', name: 'a' }, 'kind'],
    [{ kind: 'codehost' }, 'name'],
    [{ kind: 'codehost', name: '' }, 'name'],
    [{ kind: 'codehost', name: 'a', events: [] }, 'events'],
    [{ kind: 'codehost', name: 'a', events: ['Issue'] }, 'events'],
    [{ kind: 'tracker', name: 'a', events: ['Issue', 'push'] }, 'events'],
    [{ kind: 'tracker', name: 'a', events: ['Issue', 'Issue'] }, 'events'],
    [{ kind: 'tracker', name: 'a', secret: 'short' }, 'secret'],
    [{ kind: 'tracker', name: 'a', secret: 'with a space in it' }, 'secret'],
    [{ kind: 'tracker', name: 'a', url: 'x' }, 'url'],
  ])('rejects %j with 422', async (body, path) => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, body);

    expect(answer.status).toBe(422);
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
  });

  test('answers 409 to the fifty-first', async () => {
    const app = await testApp();
    const create = () => app.send('POST', PATH, { kind: 'tracker', name: 'a' });
    const answers = await Promise.all(Array.from({ length: 51 }, create));

    const refused = answers.filter(({ status }) => status !== 201);

    expect(refused).toMatchObject([{ status: 409, body: { code: 'webhook_limit_reached' } }]);
  });
});

describe('listInboundWebhooks', () => {
  test('returns every webhook once, page by page, in order of creation', async () => {
    const app = await testApp();
    const made: unknown[] = [];
    for (let n = 0; n < 5; n++) made.push((await app.send('POST', PATH, { kind: 'tracker', name: `${n}` })).body.id);

    const read: unknown[] = [];
    let cursor: unknown;
    do {
      const { body } = await app.send(
        'GET',
        `${PATH}?limit=2${cursor ? `&cursor=${encodeURIComponent(String(cursor))}` : ''}`,
      );
      read.push(...(body.inboundWebhooks as { id: unknown }[]).map(({ id }) => id));
      expect((body.meta as { hasMore: boolean }).hasMore).toBe(body.nextCursor !== undefined);
      cursor = body.nextCursor;
    } while (cursor !== undefined);

    expect(read).toEqual(made);
  });
});

describe('updateInboundWebhook', () => {
  test('changes what is named and keeps the rest', async () => {
    const app = await testApp();
    const { id } = await Sender.register(app, 'codehost');

    const renamed = await app.send('PATCH', `${PATH}/${id}`, { name: 'other' });
    const switched = await app.send('PATCH', `${PATH}/${id}`, { enabled: false, events: ['issues'] });

    expect(renamed).toMatchObject({ status: 200, body: { name: 'other', enabled: true, events: ['push', 'issues'] } });
    expect(switched).toMatchObject({ status: 200, body: { name: 'other', enabled: false, events: ['issues'] } });
    expect((await app.send('GET', `${PATH}/${id}`)).body).toEqual(switched.body);
  });

  test('replaces the secret, and returns until when the previous one is accepted', async () => {
    const app = await testApp({ now: () => 1_700_000_000_000_000 });
    const sender = await Sender.register(app, 'tracker');

    const answer = await app.send('PATCH', `${PATH}/${sender.id}`, { secret: 'lin_wh_0123456789abcdef' });

    expect(answer).toMatchObject({ status: 200, body: { previousSecretUntil: '2023-11-15T22:13:20.000000Z' } });
    expect(answer.text).not.toContain('lin_wh_');
    const [old, fresh] = [
      await sender.deliver({ type: 'x' }, { deliveryId: '1' }),
      await sender.deliver({ type: 'y' }, { deliveryId: '2', secret: 'lin_wh_0123456789abcdef' }),
    ];
    expect([old.status, fresh.status]).toEqual([200, 200]);
  });

  test.each([[{}], [{ events: ['Issue'] }], [{ kind: 'tracker' }], [{ enabled: 'yes' }]])(
    'rejects %j with 422',
    async (body) => {
      const app = await testApp();
      const { id } = await Sender.register(app, 'codehost');

      expect(await app.send('PATCH', `${PATH}/${id}`, body)).toMatchObject({ status: 422 });
    },
  );
});

describe('rotateInboundWebhookSecret', () => {
  test('answers a new secret; the third one ends the first', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker');
    const rotate = () => app.send('POST', `${PATH}/${sender.id}/rotate-secret`);

    const [second, third] = [await rotate(), await rotate()];

    const secrets = [sender.secret, String(second.body.secret), String(third.body.secret)];
    expect(new Set(secrets).size).toBe(3);
    const statuses = [];
    for (const secret of secrets) statuses.push((await sender.deliver({ type: secret }, { secret })).status);
    expect(statuses).toEqual([401, 200, 200]);
  });
});

describe('deleteInboundWebhook', () => {
  test('answers 204 once and 404 afterwards, and deletes the deliveries', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker');
    await sender.deliver({ type: 'Reaction' });

    const first = await app.send('DELETE', `${PATH}/${sender.id}`);
    const second = await app.send('DELETE', `${PATH}/${sender.id}`);

    expect([first.status, second.status]).toEqual([204, 404]);
    expect((await app.send('GET', `${PATH}/${sender.id}/deliveries`)).status).toBe(404);
  });
});

describe('listInboundDeliveries', () => {
  test('returns every delivery once, page by page, latest first', async () => {
    const app = await testApp();
    const sender = await Sender.register(app, 'tracker');
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const deliveryId of ids) await sender.deliver({ type: 'Reaction', deliveryId }, { deliveryId });

    const read: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await app.send('GET', `${PATH}/${sender.id}/deliveries?limit=2${cursor}`);
      read.push(...(body.inboundDeliveries as { deliveryId: unknown }[]).map(({ deliveryId }) => deliveryId));
      cursor = body.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(String(body.nextCursor))}`;
    } while (cursor !== '');

    expect(read).toEqual(ids.toReversed());
  });
});

describe('inbound webhooks', () => {
  const requests: [method: string, path: (id: string) => string, body?: object][] = [
    ['GET', (id) => `${PATH}/${id}`],
    ['PATCH', (id) => `${PATH}/${id}`, { enabled: false }],
    ['DELETE', (id) => `${PATH}/${id}`],
    ['POST', (id) => `${PATH}/${id}/rotate-secret`],
    ['GET', (id) => `${PATH}/${id}/deliveries`],
  ];

  test('require an owner', async () => {
    const app = await testApp();
    const { id } = await Sender.register(app, 'codehost');
    await becomeMember(app);

    const answers = [
      await app.send('GET', PATH),
      await app.send('POST', PATH, { kind: 'codehost', name: 'a' }),
      ...(await Promise.all(requests.map(([method, path, body]) => app.send(method, path(id), body)))),
    ];

    expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => 'owner_required'));
  });

  test('of another organization get the same answers as unknown ones', async () => {
    const app = await testApp();
    const { id } = await Sender.register(app, 'codehost');
    const { token } = await foundOrganization(app.deps);
    const stranger = { authorization: `Bearer ${token}` };

    for (const [method, path, body] of requests) {
      const answers = [
        await app.send(method, path(id), body, stranger),
        await app.send(method, path('no-uuid'), body, stranger),
      ];
      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [404, '{"error":"Not found"}'],
        [404, '{"error":"Not found"}'],
      ]);
    }
    expect((await app.send('GET', PATH, undefined, stranger)).body.inboundWebhooks).toEqual([]);
    expect((await app.send('GET', `${PATH}/${id}`)).body).toMatchObject({ enabled: true });
  });

  test('record an audit event of each change, without a secret', async () => {
    const app = await testApp();
    const { id } = await Sender.register(app, 'codehost');
    await app.send('PATCH', `${PATH}/${id}`, { name: 'b', secret: 'a-secret-of-the-sender' });
    await app.send('POST', `${PATH}/${id}/rotate-secret`);
    await app.send('DELETE', `${PATH}/${id}`);

    const { body, text } = await app.send('GET', '/api/organization/audit-events');

    expect(body.auditEvents).toMatchObject([
      { action: 'inbound_webhook.delete', metadata: { targetId: id } },
      { action: 'inbound_webhook.rotate_secret', metadata: { targetId: id } },
      { action: 'inbound_webhook.update', metadata: { targetId: id, changed: ['name', 'secret'] } },
      { action: 'inbound_webhook.create', metadata: { targetId: id }, actor: { type: 'token' } },
    ]);
    expect(text).not.toContain('a-secret-of-the-sender');
  });
});

/** Removes the role of owner from the user whose token the app sends. */
async function becomeMember(app: TestApp): Promise<void> {
  const { body } = await app.send('GET', '/api/session');
  const { id } = body.user as { id: string };
  await app.deps.store.transact(app.organizationId, (unit) => unit.accounts.changeRole(id, 'member'));
}
