import { describe, expect, test } from 'vitest';
import { member, type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/organization/audit-events/export';

async function withEvents(count: number): Promise<TestApp> {
  const app = await testApp();
  for (let n = 0; n < count; n++) await app.send('POST', '/api/memories', { content: `memory ${n}` });
  return app;
}

/** Returns the texts of all pages. */
async function pages(app: TestApp, query: string): Promise<string[]> {
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { text, headers } = await app.send('GET', `${PATH}?${query}${next}`);
    texts.push(text);
    cursor = headers['x-next-cursor'] as string | undefined;
  } while (cursor !== undefined);
  return texts;
}

describe('exportAuditEvents', () => {
  test('returns the events of the list as lines, page by page', async () => {
    const app = await withEvents(5);
    const { body } = await app.send('GET', '/api/organization/audit-events');

    const texts = await pages(app, 'limit=2');

    const lines = texts.join('').split('\n').slice(0, -1);
    expect(texts).toHaveLength(3);
    expect(lines.map((line) => JSON.parse(line))).toEqual(body.auditEvents);
  });

  test('returns rows of CSV, with the names of the columns only on the first page', async () => {
    const app = await withEvents(3);

    const texts = await pages(app, 'limit=2&format=csv');

    const rows = texts.join('').split('\r\n').slice(0, -1);
    expect(rows[0]).toBe(
      'id,occurredAt,action,actorType,actorId,actorName,actorEmail,userId,memoryId,requestId,batchId,source,ip,userAgent,metadata',
    );
    expect(rows).toHaveLength(4);
    expect(rows[1]).toMatch(/,memory\.ingest,token,.*,rest,127\.0\.0\.1,.*"\{""outcome"":""created""/);
  });

  test('returns the columns of an empty log as CSV, and nothing as lines', async () => {
    const app = await testApp();

    expect(await pages(app, 'format=csv')).toEqual([expect.stringMatching(/^id,.*,metadata\r\n$/)]);
    expect(await pages(app, 'format=ndjson')).toEqual(['']);
  });

  test.each([
    ['', undefined, 'application/x-ndjson'],
    ['', 'text/csv', 'text/csv'],
    ['?format=csv', undefined, 'text/csv'],
    ['?format=ndjson', 'text/csv', 'application/x-ndjson'],
  ])('with query %j and Accept %j returns %s', async (query, accept, mediaType) => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}${query}`, undefined, { ...(accept !== undefined && { accept }) });

    expect(answer.headers['content-type']).toBe(mediaType);
  });

  test('makes no cell that a spreadsheet program would run', async () => {
    const app = await testApp();
    await app.send('POST', '/api/memories', { content: 'a' }, { 'user-agent': '=HYPERLINK("http://x","y")' });

    const [text] = await pages(app, 'format=csv');

    expect(text).toContain(`,"'=HYPERLINK(""http://x"",""y"")",`);
  });

  test('filters like the list', async () => {
    const app = await withEvents(2);
    await app.send('PATCH', '/api/organization/settings', { semanticDedupe: false });

    const [text = ''] = await pages(app, 'action=organization.settings,token.create&source=rest');

    expect(
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).action),
    ).toEqual(['organization.settings']);
    expect(await pages(app, 'source=mcp')).toEqual(['']);
  });

  test('rejects members', async () => {
    const app = await testApp();
    const { headers } = await member(app, 'member', ['memory:admin']);

    const answer = await app.send('GET', PATH, undefined, headers);

    expect(answer.status).toBe(403);
  });

  test.each([
    ['format=xlsx', 'format'],
    ['source=telephone', 'source'],
    ['action=memory.delete,', 'action'],
    ['action=memory.delete,memory.explode', 'action'],
  ])('rejects %s with 422', async (query, path) => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}?${query}`);

    expect(answer.status).toBe(422);
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
  });
});
