import { describe, expect, test } from 'vitest';
import { foundOrganization, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organization/audit-events';

interface ListedEvent {
  id: string;
  action: string;
  memoryId?: string;
  batchId?: string;
  actor: { id: string };
  occurredAt: string;
  metadata: Record<string, unknown>;
}

async function list(app: TestApp, query = ''): Promise<ListedEvent[]> {
  const { body } = await app.send('GET', `${PATH}${query}`);
  return body.auditEvents as ListedEvent[];
}

describe('listAuditEvents', () => {
  test('answers one event for every successful write, newest first, with its actor and origin', async () => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'first', metadata: { kind: 'note' } });
    await app.send('PUT', '/api/memories', { externalKey: 'k', content: 'second' });
    await app.send('PATCH', `/api/memories/${body.id}`, { metadata: { seen: true } });
    await app.send('DELETE', `/api/memories/${body.id}`, undefined, {
      'x-request-id': 'the-delete',
      'user-agent': 'a browser',
    });

    const events = await list(app);

    expect(events.map(({ action }) => action)).toEqual([
      'memory.delete',
      'memory.update',
      'memory.upsert',
      'memory.ingest',
    ]);
    expect(events[0]).toMatchObject({
      memoryId: body.id,
      requestId: 'the-delete',
      userAgent: 'a browser',
      source: 'rest',
      ip: expect.stringContaining('127.0.0.1'),
      actor: { type: 'token', userId: expect.any(String) },
    });
    expect(events[3]?.metadata).toEqual({ outcome: 'created', contentLength: 5, metadataKeys: 1 });
  });

  test('answers a batch as one event and one for each accepted item, under one batch id', async () => {
    const app = await testApp();
    const items = [{ content: 'one' }, { content: ' ' }, { externalKey: 'k', content: 'two' }];
    const { body } = await app.send('POST', '/api/memories/batch', { items });
    const [first, , third] = body.results as { id: string }[];

    const events = await list(app);

    expect(events.map(({ action, memoryId }) => ({ action, memoryId }))).toEqual(
      expect.arrayContaining([
        { action: 'memory.batch', memoryId: undefined },
        { action: 'memory.upsert', memoryId: third?.id },
        { action: 'memory.ingest', memoryId: first?.id },
      ]),
    );
    expect(events).toHaveLength(3);
    expect(new Set(events.map(({ batchId }) => batchId)).size).toBe(1);
    expect(events.find(({ action }) => action === 'memory.batch')?.metadata).toEqual({ ok: 2, failed: 1 });
  });

  test('contains nothing of rejected requests', async () => {
    const app = await testApp();
    await app.send('POST', '/api/memories', { content: '' });
    await app.send('DELETE', `/api/memories/${app.deps.newId()}`);
    await app.send('POST', '/api/memories/batch', { items: [{ content: '' }] });

    expect(await list(app)).toEqual([]);
  });

  test('never contains a content, a metadata value or a query', async () => {
    const app = await testApp();
    const secret = 'heliotrope';
    const { body } = await app.send('POST', '/api/memories', { content: secret, metadata: { kind: secret } });
    await app.send('POST', '/api/memories', { content: secret, metadata: { kind: `${secret} again` } });
    await app.send('PATCH', `/api/memories/${body.id}`, { content: `${secret} once more` });
    await app.send('POST', '/api/memories/search', { query: secret });
    await app.send('POST', '/api/memories/batch', { items: [{ content: `${secret} in a batch` }] });

    const { text } = await app.send('GET', PATH);

    expect(text).toContain('memory.batch');
    expect(text).not.toContain(secret);
  });

  test('returns pages without a gap or a repetition', async () => {
    const app = await testApp();
    for (const content of ['a', 'b', 'c', 'd', 'e']) await app.send('POST', '/api/memories', { content });

    const read: ListedEvent[] = [];
    let cursor: unknown;
    do {
      const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
      const { body } = await app.send('GET', `${PATH}?limit=2${query}`);
      const events = body.auditEvents as ListedEvent[];
      expect(body.meta).toEqual({ count: events.length, hasMore: body.nextCursor !== undefined });
      read.push(...events);
      cursor = body.nextCursor;
    } while (cursor !== undefined);

    expect(read).toEqual(await list(app));
    expect(read).toHaveLength(5);
  });

  test('filters by action, memory, actor and time', async () => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'a' });
    await app.send('POST', '/api/memories', { content: 'b' });
    await app.send('DELETE', `/api/memories/${body.id}`);
    const [last] = await list(app);

    const found = [
      await list(app, '?action=memory.ingest'),
      await list(app, `?memoryId=${body.id}`),
      await list(app, `?actorId=${last?.actor.id}`),
      await list(app, '?actorId=somebody-else'),
      await list(app, `?until=${last?.occurredAt}`),
      await list(app, `?since=${last?.occurredAt}`),
    ];

    expect(found.map(({ length }) => length)).toEqual([2, 2, 3, 0, 2, 1]);
  });

  test.each([
    ['action=memory.explode', 'action'],
    ['since=yesterday', 'since'],
    ['until=2026-02-30', 'until'],
    ['cursor=x', 'cursor'],
    ['limit=501', 'limit'],
    ['limit=0', 'limit'],
    ['colour=red', 'colour'],
  ])('rejects %s with 422', async (query, path) => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}?${query}`);

    expect(answer.status).toBe(422);
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
  });

  test('shows an organization only its own events', async () => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'mine' });
    const other = await foundOrganization(app.deps);

    const answer = await app.send('GET', `${PATH}?memoryId=${body.id}`, undefined, {
      authorization: `Bearer ${other.token}`,
    });

    expect(answer.body).toEqual({ auditEvents: [], meta: { count: 0, hasMore: false } });
  });
});
