import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { ToolClient } from '../../server/testing/app/tool-client.js';

async function store({ send }: TestApp, content: string, more: object = {}): Promise<string> {
  const { body } = await send('POST', '/api/memories', { content, ...more });
  return String(body.id);
}

describe('memory_context', () => {
  test('returns what is relevant and what is new as one text, each memory once', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const deploys = await store(app, 'Deploys run on Fridays at noon.');
    await store(app, 'Part of a handbook.', { metadata: { documentId: 'd', chunkIndex: 0, chunkTotal: 1 } });
    const tea = await store(app, 'Ana likes tea.');
    const date = new Date().toISOString().slice(0, 10);

    const { body, text } = await tools.call('memory_context', { query: 'When do deploys run?' });

    expect(text.replaceAll(/\d{4}-\d\d-\d\d/g, date)).toBe(
      `Relevant memories:\n- ${date} Deploys run on Fridays at noon.\nNewest memories:\n- ${date} Ana likes tea.`,
    );
    expect(body).toMatchObject({ text, memoryIds: [deploys, tea], omitted: 0, scope: expect.any(Object) });
  });

  test('is about one subject if it is named', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    await store(app, 'Ana likes tea.', { subjectKey: 'ana' });
    await store(app, 'Ben likes coffee.', { subjectKey: 'ben' });

    const newest = await tools.call('memory_context', { subjectKey: 'ana' });
    const filtered = await tools.call('memory_context', { subjectKey: 'ana', filter: { kind: 'rule' } });
    const refused = await tools.call('memory_context', { subjectKey: 'ana', filter: { subjectKey: 'ben' } });

    expect(newest.text).toContain('Ana likes tea.');
    expect(newest.text).not.toContain('Ben');
    expect(filtered.text).toBe('Nothing is known about this yet.');
    expect(refused.body).toMatchObject({ code: 'validation_failed', details: [{ path: 'subjectKey' }] });
  });

  test('has at most maxTokens, about 1,000 by default', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const items = Array.from({ length: 40 }, (_, index) => ({
      content: `Deploy ${index} ${`part${index} `.repeat(60)}`,
    }));
    await tools.call('memory_ingest_batch', { items });

    const byDefault = await tools.call('memory_context', { query: 'deploy' });
    const short = await tools.call('memory_context', { query: 'deploy', maxTokens: 100 });

    expect(Math.ceil(byDefault.text.length / 4)).toBeGreaterThan(700);
    expect(Math.ceil(byDefault.text.length / 4)).toBeLessThanOrEqual(1_000);
    expect(Math.ceil(short.text.length / 4)).toBeLessThanOrEqual(100);
    expect(short.body.omitted).toBeGreaterThan(10);
  });

  test.each([99, 10_001, 1.5, 'many'])('rejects %j as maxTokens', async (maxTokens) => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const refused = await tools.call('memory_context', { maxTokens });

    expect(refused.body).toMatchObject({ code: 'validation_failed', details: [{ path: 'maxTokens' }] });
  });

  test('counts as its parts: a search and a list', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    await tools.call('memory_context', { query: 'anything' });
    const both = await app.send('GET', '/api/organization/usage');
    await tools.call('memory_context');
    const listOnly = await app.send('GET', '/api/organization/usage');

    expect([both.body.search, listOnly.body.search]).toMatchObject([{ used: 2 }, { used: 3 }]);
  });
});

describe('the profile of a subject', () => {
  test('has its newest memories by kind', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    await store(app, 'Ana likes tea.', { subjectKey: 'ana & co', metadata: { kind: 'preference' } });
    await store(app, 'Ana lives in Berlin.', { subjectKey: 'ana & co' });
    await store(app, 'Ana gets up early.', { subjectKey: 'ana & co', metadata: { kind: 'preference' } });
    await store(app, 'Ben likes coffee.', { subjectKey: 'ben' });

    const { resources } = await tools.client.listResources();
    const uri = `store://${app.organizationId}/subject/${encodeURIComponent('ana & co')}`;
    const text = await tools.read(uri);

    expect(resources).toEqual(expect.arrayContaining([{ uri, name: 'About ana & co', mimeType: 'text/plain' }]));
    expect(text.replaceAll(/\d{4}-\d\d-\d\d /g, '')).toBe(
      'About ana & co (3 memories)\npreference:\n- Ana gets up early.\n- Ana likes tea.\nother:\n- Ana lives in Berlin.',
    );
  });

  test('does not exist if nothing is known', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });

    for (const subject of ['ana', '%20', 'x'.repeat(600)]) {
      const refusal = await tools.refusal(`store://${app.organizationId}/subject/${subject}`);
      expect(refusal).toMatchObject({ code: -32_602, message: 'Not found' });
    }
  });

  test('is completed from the subjects of the newest memories', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    for (const subjectKey of ['ana', 'ben', 'anton']) await store(app, `About ${subjectKey}.`, { subjectKey });
    const ref = { type: 'ref/resource' as const, uri: 'store://{organizationId}/subject/{subjectKey}' };

    const { completion } = await client.complete({ ref, argument: { name: 'subjectKey', value: 'an' } });

    expect(completion.values).toEqual(['anton', 'ana']);
  });
});
