import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { builtPackage } from '../../server/testing/processes/server-process.js';

type Arguments = Record<string, unknown>;
type Connect = (app: TestApp, bound: { subjectKey?: string; project?: string }) => Promise<Client>;

const UNKNOWN = '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11';
const EVER = '2020-01-01';

const overHttp: Connect = (app, { subjectKey, project }) => {
  const headers = {
    authorization: `Bearer ${app.token}`,
    ...(subjectKey !== undefined && { 'x-memory-subject-key': encodeURIComponent(subjectKey) }),
    ...(project !== undefined && { 'x-memory-project': encodeURIComponent(project) }),
  };
  const url = new URL(`http://127.0.0.1:${app.port}/mcp`);
  return connected(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
};

const overStdio: Connect = (app, { subjectKey, project }) => {
  const env = {
    MEMORY_BASE_URL: `http://127.0.0.1:${app.port}`,
    MEMORY_TOKEN: app.token,
    ...(subjectKey !== undefined && { MEMORY_SUBJECT_KEY: subjectKey }),
    ...(project !== undefined && { MEMORY_PROJECT: project }),
  };
  const program = join(builtPackage('mcp'), 'stdio.js');
  return connected(new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: 'ignore' }));
};

async function connected(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  await client.listTools();
  return client;
}

async function call(client: Client, name: string, args: Arguments = {}) {
  const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args });
  const [first] = content as { text: string }[];
  return { isError, body: structuredContent as Arguments, text: first?.text ?? '' };
}

interface Stored {
  own: string;
  ofBen: string;
  ofOtherProject: string;
  ofNobody: string;
}

/** Stores memories inside and outside of the subject `ana & co` and the project `atlas`. */
async function world(): Promise<{ app: TestApp; ids: Stored }> {
  const app = await testApp();
  await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
  const store = async (content: string, project: string, subjectKey?: string) => {
    const { body } = await app.send('POST', '/api/memories', {
      content,
      subjectKey,
      metadata: { project, kind: 'note' },
    });
    return String(body.id);
  };
  const ids = {
    own: await store('The own secret word is harbour.', 'atlas', ANA),
    ofBen: await store("Ben's secret word is lighthouse.", 'atlas', 'ben'),
    ofOtherProject: await store('The secret word elsewhere is anchor.', 'other', ANA),
    ofNobody: await store('The secret word of nobody is buoy.', 'atlas'),
  };
  return { app, ids };
}

const ANA = 'ana & co';
const BOUND = { subjectKey: ANA, project: 'atlas' };
const OUTSIDE = /lighthouse|anchor|buoy/;

describe.each([
  ['over HTTP', overHttp],
  ['over standard input', overStdio],
] as const)('a bound connection %s', (_, connect) => {
  test('reads only what is inside, with every tool that reads', async () => {
    const { app, ids } = await world();
    const client = await connect(app, BOUND);

    const answers = [
      await call(client, 'memory_search', { query: 'secret word', includeDeleted: true }),
      await call(client, 'memory_recent', { filter: { kind: 'note' } }),
      await call(client, 'memory_changes', { since: EVER, includeDeleted: true }),
      await call(client, 'memory_context', { query: 'secret word' }),
      await call(client, 'memory_get', { id: ids.own }),
    ];
    const counts = await call(client, 'memory_stats');

    for (const { isError, text, body } of answers) {
      expect(isError).toBe(false);
      expect(text).toContain('harbour');
      expect(text + JSON.stringify(body)).not.toMatch(OUTSIDE);
    }
    expect(counts.body).toMatchObject({ meta: { total: 1, filtered: 1 }, facets: { project: [{ value: 'atlas' }] } });
  });

  test('answers for ids outside as for unknown ids, and changes nothing', async () => {
    const { app, ids } = await world();
    const client = await connect(app, BOUND);
    await app.send('DELETE', `/api/memories/${ids.ofNobody}`);

    for (const [name, more] of [
      ['memory_get', {}],
      ['memory_get', { includeDeleted: true }],
      ['memory_update', { content: 'Changed from outside.' }],
      ['memory_delete', {}],
      ['memory_restore', {}],
    ] as const) {
      const unknown = await call(client, name, { id: UNKNOWN, ...more });
      expect(unknown).toMatchObject({ isError: true, body: { error: 'Not found' } });
      for (const id of [ids.ofBen, ids.ofOtherProject, ids.ofNobody]) {
        expect(await call(client, name, { id, ...more }), name).toEqual(unknown);
      }
    }
    expect((await app.send('GET', `/api/memories/${ids.ofBen}`)).body).toMatchObject({
      content: expect.stringContaining('lighthouse'),
    });
    expect((await app.send('GET', `/api/memories/${ids.ofNobody}`)).status).toBe(404);
  });

  test('writes only inside, with every tool that writes', async () => {
    const { app, ids } = await world();
    const client = await connect(app, BOUND);

    const ingested = await call(client, 'memory_ingest', { content: 'Ana likes tea.' });
    const upserted = await call(client, 'memory_upsert', { externalKey: 'timezone', content: 'Ana lives in Berlin.' });
    const batch = await call(client, 'memory_ingest_batch', {
      items: [{ content: 'Ana has a dog.' }, { content: 'Ana has a cat.', externalKey: 'pet' }],
    });
    const updated = await call(client, 'memory_update', { id: ids.own, metadata: { seen: 1 }, metadataReplace: true });
    await call(client, 'memory_delete', { id: ids.own });
    const restored = await call(client, 'memory_restore', { id: ids.own });

    const results = batch.body.results as { id: string }[];
    const written = [
      ingested.body.id,
      upserted.body.id,
      ...results.map(({ id }) => id),
      updated.body.id,
      restored.body.id,
    ];
    for (const id of written) {
      const { body } = await app.send('GET', `/api/memories/${id}`);
      expect(body).toMatchObject({ subjectKey: ANA, metadata: { project: 'atlas' } });
    }
    expect((await app.send('GET', `/api/memories/${ids.own}`)).body.metadata).toEqual({ seen: 1, project: 'atlas' });
  });

  test('rejects arguments with another subject or project, with a next step, and does nothing', async () => {
    const { app, ids } = await world();
    const client = await connect(app, BOUND);
    const before = await app.send('GET', '/api/memories/stats');
    const rejected: [string, Arguments, string][] = [
      ['memory_context', { subjectKey: 'ben' }, 'subjectKey'],
      ['memory_context', { filter: { subjectKey: 'ben' } }, 'filter.subjectKey'],
      ['memory_search', { query: 'a', filter: { subjectKey: 'ben' } }, 'filter.subjectKey'],
      ['memory_search', { query: 'a', filter: { project: 'other' } }, 'filter.project'],
      ['memory_search', { query: 'a', filter: 'ben' }, 'filter'],
      ['memory_recent', { filter: '{"subjectKey":"ben"}' }, 'filter.subjectKey'],
      ['memory_stats', { filter: { project: null } }, 'filter.project'],
      ['memory_changes', { since: EVER, filter: { project: 'other' } }, 'filter.project'],
      ['memory_ingest', { content: 'a', subjectKey: 'ben' }, 'subjectKey'],
      ['memory_ingest', { content: 'a', metadata: { project: 'other' } }, 'metadata.project'],
      ['memory_ingest', { content: 'a', metadata: 'project' }, 'metadata'],
      ['memory_upsert', { content: 'a', externalKey: 'k', subjectKey: null }, 'subjectKey'],
      ['memory_upsert', { content: 'a', externalKey: 'k', scope: { project: 'other' } }, 'scope.project'],
      ['memory_upsert', { content: 'a', externalKey: 'k', scope: { source: 'subject:ben' } }, 'scope.source'],
      ['memory_ingest_batch', { items: [{ content: 'a' }, { content: 'b', subjectKey: 'ben' }] }, 'items.1.subjectKey'],
      ['memory_ingest_batch', { items: ['a'] }, 'items.0'],
      ['memory_update', { id: ids.own, subjectKey: 'ben' }, 'subjectKey'],
      ['memory_update', { id: ids.own, metadata: { project: null } }, 'metadata.project'],
    ];

    for (const [name, args, path] of rejected) {
      const { isError, body, text } = await call(client, name, args);
      expect({ name, args, isError, body }).toMatchObject({
        isError: true,
        body: { code: 'validation_failed', details: [{ path }] },
      });
      if (String(body.error).endsWith('is fixed by this connection'))
        expect(text).toMatch(/Leave \w+ out and call again\./);
    }
    expect((await app.send('GET', '/api/memories/stats')).body).toEqual(before.body);
  });

  test('accepts arguments with its own subject and project', async () => {
    const { app, ids } = await world();
    const client = await connect(app, BOUND);

    const found = await call(client, 'memory_search', {
      query: 'secret',
      filter: { subjectKey: ANA, project: 'atlas' },
    });
    const context = await call(client, 'memory_context', { subjectKey: ANA });
    const changed = await call(client, 'memory_update', {
      id: ids.own,
      subjectKey: ANA,
      metadata: { project: 'atlas', n: 1 },
    });

    expect([found.isError, context.isError, changed.isError]).toEqual([false, false, false]);
    expect(changed.body).toMatchObject({ subjectKey: ANA, metadata: { n: 1 } });
  });

  test('has keys of its own: another subject may use the same key', async () => {
    const { app } = await world();
    const ana = await connect(app, { subjectKey: ANA });
    const ben = await connect(app, { subjectKey: 'ben' });

    const first = await call(ana, 'memory_upsert', { externalKey: 'timezone', content: 'Lives in Berlin.' });
    const second = await call(ben, 'memory_upsert', { externalKey: 'timezone', content: 'Lives in Lisbon.' });
    const again = await call(ana, 'memory_upsert', { externalKey: 'timezone', content: 'Lives in Bonn.' });

    expect([first.body.outcome, second.body.outcome, again.body.outcome]).toEqual(['created', 'created', 'updated']);
    expect(again.body.id).toBe(first.body.id);
    expect((await call(ben, 'memory_get', { id: second.body.id })).text).toContain('Lisbon');
  });

  test('changes no memory outside that has the same content, and does not name it', async () => {
    const { app, ids } = await world();
    const client = await connect(app, BOUND);
    const content = 'The secret word elsewhere is anchor.';
    const before = await app.send('GET', `/api/memories/${ids.ofOtherProject}`);

    const ingested = await call(client, 'memory_ingest', { content });
    const upserted = await call(client, 'memory_upsert', { content, externalKey: 'k' });
    const updated = await call(client, 'memory_update', { id: ids.own, content });
    const batch = await call(client, 'memory_ingest_batch', { items: [{ content }] });

    for (const { isError, body, text } of [ingested, upserted, updated]) {
      expect({ isError, code: body.code }).toEqual({ isError: true, code: 'content_conflict' });
      expect(text + JSON.stringify(body)).not.toContain(ids.ofOtherProject);
      expect(text).toContain('cannot see');
    }
    expect(batch.body).toMatchObject({ summary: { ok: 0, failed: 1 } });
    expect(JSON.stringify(batch.body)).not.toContain(ids.ofOtherProject);
    expect((await app.send('GET', `/api/memories/${ids.ofOtherProject}`)).body).toEqual(before.body);
  });

  test('does not list what it fixes, and reads only resources inside', async () => {
    const { app, ids } = await world();
    const chunk = { documentId: 'plan', chunkIndex: 0, chunkTotal: 1 };
    for (const [subjectKey, project] of [
      [ANA, 'atlas'],
      ['ben', 'atlas'],
    ]) {
      const metadata = { ...chunk, project };
      await app.send('POST', '/api/memories', { content: `The plan of ${subjectKey}.`, subjectKey, metadata });
    }
    const foreign = { ...chunk, documentId: 'elsewhere', project: 'other' };
    await app.send('POST', '/api/memories', { content: 'A plan elsewhere.', subjectKey: ANA, metadata: foreign });
    const client = await connect(app, BOUND);
    const base = `store://${app.organizationId}`;
    const read = async (path: string) => {
      const { contents } = await client.readResource({ uri: `${base}/${path}` });
      return (contents[0] as { text: string }).text;
    };

    const { tools } = await client.listTools();
    const { resources } = await client.listResources();

    const search = tools.find(({ name }) => name === 'memory_search');
    expect(JSON.stringify(tools)).not.toContain('subjectKey');
    expect(JSON.stringify(search)).not.toContain('project');
    expect(resources.map(({ name }) => name)).toEqual(['stats', `About ${ANA}`, 'plan (ana & co)', expect.any(String)]);
    for (const { uri } of resources) expect(await read(uri.slice(base.length + 1))).not.toMatch(OUTSIDE);
    expect(await read('document/plan')).toBe(`The plan of ${ANA}.`);
    expect(JSON.parse(await read('stats'))).toMatchObject({ meta: { total: 2, filtered: 2 } });
    expect(await read(`subject/${encodeURIComponent(ANA)}`)).toContain('harbour');
    for (const path of [
      `memory/${ids.ofBen}`,
      `memory/${ids.ofOtherProject}`,
      'document/plan?subjectKey=ben',
      'document/elsewhere',
      'subject/ben',
    ]) {
      await expect(read(path), path).rejects.toMatchObject({ code: -32_602, message: 'Not found' });
    }
    const ref = { type: 'ref/resource' as const, uri: 'store://{organizationId}/memory/{id}' };
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: '' } });
    expect(completion.values).not.toEqual(expect.arrayContaining([ids.ofBen]));
  });

  test('reaches subjects whose keys are integers', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'integer' });
    await app.send('POST', '/api/memories', { content: 'Of seventeen.', subjectKey: 17 });
    await app.send('POST', '/api/memories', { content: 'Of eighteen.', subjectKey: 18 });
    const client = await connect(app, { subjectKey: '17' });

    const batch = await call(client, 'memory_ingest_batch', { items: [{ content: 'Likes tea.' }] });
    const recent = await call(client, 'memory_recent');
    const { contents } = await client.readResource({ uri: `store://${app.organizationId}/subject/17` });

    expect(batch.body).toMatchObject({ summary: { ok: 1, failed: 0 } });
    expect(recent.body.results).toMatchObject([
      { content: 'Likes tea.', subjectKey: 17 },
      { content: 'Of seventeen.' },
    ]);
    expect(contents).toMatchObject([{ text: expect.stringContaining('seventeen') }]);
  });
});
