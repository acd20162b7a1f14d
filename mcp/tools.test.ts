import { describe, expect, test } from 'vitest';
import { testApp } from '../server/testing/app/test-app.js';
import { ToolClient } from '../server/testing/app/tool-client.js';

describe('a number that JSON rounds', () => {
  test.each(['9007199254740993', '1e400', '-1e400'])('is rejected as over REST: %s', async (number) => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await tools.call('memory_ingest', { content: 'Ana prefers tea.', metadata: { n: null } });

    const found = await tools.call('memory_search', { query: 'tea', filter: `{"match":{"n":${number}}}` });
    const listed = await tools.call('memory_recent', { filter: `{"match":{"n":${number}}}` });
    const stored = await tools.call('memory_ingest', { content: 'Ben too.', metadata: `{"n":${number}}` });

    for (const refused of [found, listed]) {
      expect(refused.body).toMatchObject({ code: 'validation_failed', details: [{ path: 'filter.match.n' }] });
    }
    expect(stored.body).toMatchObject({ code: 'validation_failed', details: [{ path: 'metadata.n' }] });
  });
});

describe('a result', () => {
  test('is the response of the service with its scope as data, and a short text', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await tools.call('memory_ingest', { content: 'Deploys run on Fridays.', metadata: { kind: 'note' } });

    const found = await tools.call('memory_search', {
      query: 'deploy',
      filter: { kind: 'note' },
      includeDeleted: true,
    });

    expect(found.body).toMatchObject({
      results: [{ content: 'Deploys run on Fridays.' }],
      meta: { count: 1, mode: 'vector' },
      scope: { organizationId: app.organizationId, filter: { kind: 'note' }, includeDeleted: true },
    });
    const [{ id, createdAt, score } = {}] = found.body.results as { id: string; createdAt: string; score: number }[];
    expect(found.text).toBe(`- [${id}] ${createdAt?.slice(0, 10)} ${score?.toFixed(2)} Deploys run on Fridays.`);
  });

  test('of ten short memories has less than 1,400 characters', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const items = Array.from({ length: 10 }, (_, index) => ({
      content: `Deploys of service ${index} run on day ${index + 1} of each month, at noon in Berlin.`,
      metadata: { kind: 'rule', project: 'atlas', source: 'chat' },
    }));
    await tools.call('memory_ingest_batch', { items });

    const found = await tools.call('memory_search', { query: 'When do we deploy?' });

    expect(found.text.split('\n')).toHaveLength(10);
    expect(found.text.length).toBeLessThan(1_400);
  });

  test('that is empty says what was searched', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const found = await tools.call('memory_recent', { filter: { project: 'atlas' } });

    expect(found.body).toMatchObject({
      results: [],
      scope: { organizationId: app.organizationId, filter: { project: 'atlas' } },
    });
    expect(found.text).toBe('There are no memories with the filter {"project":"atlas"}.');
  });

  test('does not repeat a long filter, but reports that there was one', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const found = await tools.call('memory_recent', { filter: { project: 'x'.repeat(1_000) } });

    expect(found.body.scope).toEqual({ organizationId: app.organizationId, filterOmitted: true });
  });

  test('is cut to maxChars, and the rest can be read by id', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const content = Array.from({ length: 3_000 }, (_, index) => `Line ${index} of the handbook.`).join('\n');
    await tools.call('memory_ingest', { content });

    const found = await tools.call('memory_search', { query: 'handbook', maxChars: 3_000 });
    const [hit] = found.body.results as { id: string; truncated: boolean }[];
    let read = '';
    for (let offset: unknown = 0; offset !== undefined; ) {
      const { body } = await tools.call('memory_get', { id: hit?.id, offset });
      read += body.content;
      offset = body.nextOffset;
    }

    expect(found.text.length).toBeLessThanOrEqual(3_000);
    expect(hit?.truncated).toBe(true);
    expect(read).toBe(content);
  });

  test('is at most 20,000 characters long by default', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const items = Array.from({ length: 50 }, (_, index) => ({ content: `${index} ${'word '.repeat(1_000)}` }));

    const written = await tools.call('memory_ingest_batch', { items });
    const recent = await tools.call('memory_recent', { limit: 50 });
    const more = await tools.call('memory_recent', { limit: 50, maxChars: 100_000 });

    expect(written.text.length).toBeLessThanOrEqual(20_000);
    expect(written.body).toMatchObject({ summary: { ok: 50, failed: 0 } });
    expect(recent.text.length).toBeLessThanOrEqual(20_000);
    expect(more.text.length).toBeGreaterThan(50_000);
    expect(more.text.length).toBeLessThanOrEqual(100_000);
  });
});

describe('an argument', () => {
  test('that is a number, boolean, object or list written as text is converted', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const one = await tools.call('memory_ingest', { content: 'As text.', metadata: '{"kind":"note"}' });
    const many = await tools.call('memory_ingest_batch', {
      items: '[{"content":"One more."}]',
      continueOnError: 'true',
    });
    const single = await tools.call('memory_ingest_batch', { items: { content: 'Alone.' } });
    const found = await tools.call('memory_recent', { limit: '5', includeDeleted: 'false', filter: '{"kind":"note"}' });

    expect([one, many, single, found].map(({ isError }) => isError)).toEqual([false, false, false, false]);
    expect(found.body.results).toMatchObject([{ content: 'As text.', metadata: { kind: 'note' } }]);
  });

  test('that is unknown is named in an error, and nothing is done', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const refused = await tools.call('memory_ingest', { content: 'Not stored.', organizationId: app.deps.newId() });
    const stats = await tools.call('memory_stats');

    expect(refused.text).toBe(
      'organizationId is not an argument of memory_ingest (validation_failed). ' +
        'memory_ingest takes content, metadata, subjectKey, externalKey, scope, expiresAt, dedupe.',
    );

    expect(refused).toMatchObject({
      isError: true,
      body: { code: 'validation_failed', details: [{ path: 'organizationId', message: expect.any(String) }] },
    });
    expect(stats.body).toMatchObject({ meta: { total: 0 } });
  });

  test.each([
    ['memory_search', 'q', 'query'],
    ['memory_search', 'top_k', 'limit'],
    ['memory_search', 'include_deleted', 'includeDeleted'],
    ['memory_search', 'filters', 'filter'],
    ['memory_ingest', 'text', 'content'],
    ['memory_ingest', 'user_id', 'subjectKey'],
    ['memory_ingest_batch', 'memories', 'items'],
    ['memory_get', 'memory_id', 'id'],
    ['memory_upsert', 'external-key', 'externalKey'],
  ])('of %s that is called %s is rejected with the name that was meant, %s', async (tool, name, meant) => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const refused = await tools.call(tool, { [name]: 'x' });

    expect(refused.body).toMatchObject({ error: `${name} is not an argument, ${meant} is`, code: 'validation_failed' });
    expect(refused.text).toContain(`${tool} takes `);
  });

  test.each([
    ['memory_get', {}, 'id'],
    ['memory_get', { id: { deep: 1 } }, 'id'],
    ['memory_update', { content: 'No id.' }, 'id'],
    ['memory_changes', {}, 'since'],
    ['memory_search', { query: 'a', maxChars: 10 }, 'maxChars'],
    ['memory_search', { query: 'a', maxChars: 'many' }, 'maxChars'],
    ['memory_get', { id: 'x', offset: -1 }, 'offset'],
    ['memory_recent', { constructor: 1 }, 'constructor'],
  ])('of %s that is not valid (%j) is rejected by its name, %s', async (name, args, path) => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const refused = await tools.call(name, { ...args });

    expect(refused).toMatchObject({ isError: true, body: { code: 'validation_failed', details: [{ path }] } });
  });

  test.each(['', '.', '..', '../stats', 'a/b', 'recent', 'stats', 'export'])(
    'that is the id %j finds no memory',
    async (id) => {
      const app = await testApp();
      const tools = await ToolClient.connect(app);

      expect(await tools.call('memory_get', { id })).toMatchObject({ isError: true, body: { error: 'Not found' } });
      expect(await tools.call('memory_delete', { id })).toMatchObject({ isError: true, body: { error: 'Not found' } });
    },
  );

  test('for an unknown tool is rejected with a protocol error', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);

    await expect(client.callTool({ name: 'memory_erase', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('a tool error', () => {
  test('contains the message, the code and the other members of the response', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const first = await tools.call('memory_ingest', { content: 'One text.', externalKey: 'k' });

    const refused = await tools.call('memory_ingest', { content: 'Another text.', externalKey: 'k' });

    expect(refused).toMatchObject({
      isError: true,
      body: { error: expect.any(String), code: 'external_key_conflict', id: first.body.id },
    });
    expect(refused.text).toBe(
      `${refused.body.error} (external_key_conflict). It is [${first.body.id}]. ${refused.body.hint}`,
    );
    expect(refused.body.hint).toContain('memory_upsert');
  });

  test('contains retryAfter if the rate limit is used up', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    app.rateLimiter.state = { allowed: false, limit: 60, remaining: 0, resetMs: 11_500 };

    const refused = await tools.call('memory_recent');

    expect(refused).toMatchObject({ isError: true, body: { code: 'rate_limited', retryAfter: 12 } });
  });

  test('reports that the store cannot be reached', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    app.store.down = 'memories';

    const refused = await tools.call('memory_stats');
    const health = await tools.call('service_health');

    expect(refused).toMatchObject({ isError: true, body: { code: 'service_unavailable', retryAfter: 5 } });
    expect(health).toMatchObject({ isError: false, body: { status: 'down' } });
  });
});
