import { describe, expect, test } from 'vitest';
import { foundOrganization, member, type TestApp, testApp } from '../../server/testing/app/test-app.js';
import { ToolClient } from '../../server/testing/app/tool-client.js';

const DOCUMENT = 'store://{organizationId}/document/{documentId}';
const MEMORY = 'store://{organizationId}/memory/{id}';

async function storeChunk(
  { send }: TestApp,
  documentId: string,
  chunkIndex: number,
  chunkTotal: number,
  content: string,
) {
  const { status } = await send('POST', '/api/memories', { content, metadata: { documentId, chunkIndex, chunkTotal } });
  expect(status).toBe(201);
}

describe('a document', () => {
  test('is its chunks joined in index order, even if they were stored in another order', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await storeChunk(app, 'handbook', 2, 3, 'Third.');
    await storeChunk(app, 'handbook', 0, 3, 'First. ');
    await storeChunk(app, 'handbook', 1, 3, 'Second. ');
    await storeChunk(app, 'other', 0, 1, 'Of another document.');

    const uri = `store://${app.organizationId}/document/handbook`;
    const { contents } = await tools.client.readResource({ uri });

    expect(contents).toMatchObject([
      { uri, mimeType: 'text/plain', text: 'First. Second. Third.', _meta: { chunkTotal: 3, missing: [] } },
    ]);
  });

  test('lists missing chunks in the text and in its metadata', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await storeChunk(app, 'handbook', 0, 4, 'First.');
    await storeChunk(app, 'handbook', 2, 4, 'Third.');

    const { contents } = await tools.client.readResource({ uri: `store://${app.organizationId}/document/handbook` });

    expect(contents).toMatchObject([{ _meta: { missing: [1, 3] } }]);
    expect((contents[0] as { text: string }).text).toBe(
      'First.\n[chunk 1 is missing: chunks are counted from 0 and there are 4]\n' +
        'Third.\n[chunk 3 is missing: chunks are counted from 0 and there are 4]\n',
    );
  });

  test('has the newest content of chunks that were stored again', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await storeChunk(app, 'handbook', 0, 2, 'Old beginning.');
    await storeChunk(app, 'handbook', 1, 2, 'Old end.');
    await storeChunk(app, 'handbook', 0, 1, 'All in one now.');

    expect(await tools.read(`store://${app.organizationId}/document/handbook`)).toBe('All in one now.');
  });

  test('of a subject has the subject in its URI, which is optional if its id is unique', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'string' });
    for (const [subjectKey, names] of [
      ['ana & co', ['cv', 'plan']],
      ['ben', ['cv']],
    ] as const) {
      for (const documentId of names) {
        const metadata = { documentId, chunkIndex: 0, chunkTotal: 1 };
        await app.send('POST', '/api/memories', { content: `${documentId} of ${subjectKey}`, metadata, subjectKey });
      }
    }
    const { resources } = await tools.client.listResources();
    const listed = await Promise.all(
      resources
        .filter(({ uri }) => uri.includes('/document/'))
        .map(async ({ uri, name }) => [name, await tools.read(uri)]),
    );

    expect(listed).toEqual([
      ['cv (ana & co)', 'cv of ana & co'],
      ['plan (ana & co)', 'plan of ana & co'],
      ['cv (ben)', 'cv of ben'],
    ]);
    expect(await tools.read(`store://${app.organizationId}/document/plan`)).toBe('plan of ana & co');
    const several = await tools.refusal(`store://${app.organizationId}/document/cv`);
    expect(several).toMatchObject({ code: -32_602, data: { code: 'validation_failed' } });
  });

  test('is split into parts if it is long, and each part has the URI of the next', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const contents = Array.from({ length: 22 }, (_, index) => `${index} ${'é'.repeat(49_000)}`);
    for (const [index, content] of contents.entries()) await storeChunk(app, 'long', index, 22, content);

    const parts: string[] = [];
    for (let uri: unknown = `store://${app.organizationId}/document/long`; typeof uri === 'string'; ) {
      const [part] = (await tools.client.readResource({ uri })).contents as {
        text: string;
        _meta: { next?: unknown };
      }[];
      parts.push(part!.text);
      uri = part!._meta.next;
    }

    expect(parts).toHaveLength(2);
    expect(parts.join('')).toBe(contents.join(''));
  });

  test('may have any id that a URI can contain', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const name = 'docs/Größe & Maß 100%.md?x=1#y';
    await storeChunk(app, name, 0, 1, 'Found.');

    expect(await tools.read(`store://${app.organizationId}/document/${encodeURIComponent(name)}`)).toBe('Found.');
  });
});

describe('the other resources', () => {
  test('a memory is returned in full, even if it is long', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    const content = 'word '.repeat(20_000).trim();
    const { body } = await app.send('POST', '/api/memories', { content });

    const text = await tools.read(`store://${app.organizationId}/memory/${body.id}`);

    expect(JSON.parse(text)).toMatchObject({ id: body.id, content });
  });

  test('the counts are those of the organization', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await app.send('POST', '/api/memories', { content: 'One.', metadata: { kind: 'note' } });

    const text = await tools.read(`store://${app.organizationId}/stats`);

    expect(JSON.parse(text)).toMatchObject({ facets: { kind: [{ value: 'note', count: 1 }] }, meta: { total: 1 } });
  });

  test('are listed, and each listed one can be read', async () => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);
    await storeChunk(app, 'a b/c', 0, 1, 'A chunk.');
    await app.send('POST', '/api/memories', { content: `A memory ${'that is long '.repeat(20)}` });

    const { resources } = await tools.client.listResources();
    const { resourceTemplates } = await tools.client.listResourceTemplates();
    const read = await Promise.all(resources.map(({ uri }) => tools.read(uri)));

    expect(resources.map(({ name }) => name)).toEqual([
      'stats',
      'a b/c',
      expect.stringMatching(/^A memory that is long .{0,45}$/),
    ]);
    expect(read.map((text) => text.length > 0)).toEqual([true, true, true]);
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      DOCUMENT,
      MEMORY,
      'store://{organizationId}/subject/{subjectKey}',
      'store://{organizationId}/stats',
    ]);
  });

  test('are completed from the typed text', async () => {
    const app = await testApp();
    const { client } = await ToolClient.connect(app);
    await storeChunk(app, 'handbook', 0, 1, 'A chunk.');
    await storeChunk(app, 'guide', 0, 1, 'Another chunk.');
    const complete = async (uri: string, name: string, value: string) => {
      const { completion } = await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } });
      return completion.values;
    };

    expect(await complete(DOCUMENT, 'documentId', 'hand')).toEqual(['handbook']);
    expect(await complete(DOCUMENT, 'documentId', '')).toEqual(['guide', 'handbook']);
    expect(await complete(DOCUMENT, 'organizationId', '')).toEqual([app.organizationId]);
    expect(await complete(MEMORY, 'id', '0')).toHaveLength(2);
    expect(await complete(MEMORY, 'id', 'x')).toEqual([]);
  });

  test('are not listed for a token that may not read', async () => {
    const app = await testApp();
    const { headers } = await member(app, 'member', ['memory:ingest']);
    const { client } = await ToolClient.connect(app, headers);

    expect(await client.listResources()).toMatchObject({ resources: [] });
  });

  test.each([
    'document/unknown',
    'document/',
    'document/a/b',
    'document/a?from=x',
    'document/a?subjectKey=',
    'document/a?subjectKey=%E0%A4%A',
    'document/%E0%A4%A',
    'memory/0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11',
    'memory/no-uuid',
    'memory/..',
    'secrets/all',
    'stats/more',
    '',
  ])('do not exist at %j', async (path) => {
    const app = await testApp();
    const tools = await ToolClient.connect(app);

    const refusal = await tools.refusal(`store://${app.organizationId}/${path}`);

    expect(refusal).toMatchObject({ code: -32_602, message: 'Not found' });
  });
});

describe('the organization of a URI', () => {
  async function twoOrganizations() {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    await app.send('POST', '/api/memories', { content: 'Theirs.' }, { authorization: `Bearer ${other.token}` });
    return { app, other, unknown: app.deps.newId() };
  }

  test('is denied in the same way if it is another one or does not exist, for every kind of token', async () => {
    const { app, other, unknown } = await twoOrganizations();
    const bound = await member(app, 'owner', ['*', `organization:${app.organizationId}`]);

    for (const headers of [{}, bound.headers]) {
      const tools = await ToolClient.connect(app, headers);
      for (const path of ['stats', 'document/handbook', 'memory/0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11']) {
        const foreign = await tools.refusal(`store://${other.organizationId}/${path}`);

        expect(foreign).toMatchObject({ data: { code: 'organization_forbidden' } });
        expect(await tools.refusal(`store://${unknown}/${path}`)).toEqual(foreign);
        expect(await tools.refusal(`store://no-uuid/${path}`)).toEqual(foreign);
      }
    }
  });

  test('is denied if the header has another one, even if the caller is a member of both', async () => {
    const { app, other, unknown } = await twoOrganizations();
    const both = await memberOfBoth(app, other.organizationId);
    const here = await ToolClient.connect(app, { ...both, 'x-organization-id': app.organizationId });
    const open = await ToolClient.connect(app, both);

    const disagreeing = await here.refusal(`store://${other.organizationId}/stats`);

    expect(disagreeing).toEqual(await here.refusal(`store://${unknown}/stats`));
    expect(await here.read(`store://${app.organizationId.toUpperCase()}/stats`)).toContain('"total":0');
    // Without a header, only the URI decides.
    expect(await open.read(`store://${other.organizationId}/stats`)).toContain('"total":1');
    expect(await open.read(`store://${app.organizationId}/stats`)).toContain('"total":0');
    expect(await open.client.listResources()).toMatchObject({ resources: [] });
  });

  test('gives no access to memories of others by id, header, argument or filter', async () => {
    const { app, other } = await twoOrganizations();
    const theirs = await app.send('GET', '/api/memories/recent', undefined, { authorization: `Bearer ${other.token}` });
    const [memory] = theirs.body.results as { id: string }[];
    const id = memory?.id ?? '';
    const tools = await ToolClient.connect(app);
    const astray = await ToolClient.connect(app, { 'x-organization-id': other.organizationId });

    const byId = await tools.call('memory_get', { id });
    const changed = await tools.call('memory_update', { id, content: 'Mine now.' });
    const deleted = await tools.call('memory_delete', { id });
    const searched = await tools.call('memory_search', { query: 'Theirs.', includeDeleted: true });
    const byUri = await tools.refusal(`store://${app.organizationId}/memory/${id}`);
    const byHeader = await astray.call('memory_recent');
    const unknownHeader = await ToolClient.connect(app, { 'x-organization-id': app.deps.newId() });

    for (const answer of [byId, changed, deleted]) {
      expect(answer).toMatchObject({ isError: true, body: { error: 'Not found' } });
    }
    expect(searched.body.results).toEqual([]);
    expect(byUri).toMatchObject({ code: -32_602, message: 'Not found' });
    expect(byHeader).toMatchObject({ isError: true, body: { code: 'organization_forbidden' } });
    expect(await unknownHeader.call('memory_recent')).toEqual(byHeader);
  });
});

/** Creates an unbound token of a user who is a member of the app's organization and of another. */
async function memberOfBoth(app: TestApp, otherId: string): Promise<Record<string, string>> {
  const { userId, headers } = await member(app, 'member', ['*']);
  await app.deps.store.transact(otherId, ({ accounts }) =>
    accounts.insertMember({ userId, role: 'member', joinedAt: app.deps.now() }),
  );
  return headers;
}
