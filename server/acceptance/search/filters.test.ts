import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/memories/recent';

async function knownMemories(): Promise<TestApp> {
  const app = await testApp();
  await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'integer' });
  const items = [
    { content: 'note', metadata: { kind: 'note', done: true, n: 1 }, subjectKey: 7 },
    { content: 'page', metadata: { kind: 'page', done: 'true', n: '1', team: 'x' }, externalKey: 'wiki/a' },
    { content: 'bare' },
  ];
  await app.send('POST', '/api/memories/batch', { items });
  return app;
}

describe('a filter in a query string', () => {
  test.each([
    ['filter={"kind":"note"}', ['note']],
    ['filter={"kind":"note","match":{"n":1}}', ['note']],
    ['filter={"match":{"n":1}}', ['note']],
    ['filter={"match":{"n":"1"}}', ['page']],
    ['filter={"match":{"done":true}}', ['note']],
    ['filter={"match":{"externalKey":"wiki/a"}}', ['page']],
    ['filter={"subjectKey":7}', ['note']],
    ['filter={"subjectKey":8}', []],
    ['filter={}', ['bare', 'page', 'note']],
    ['filter[kind]=page', ['page']],
    ['filter%5Bkind%5D=page&filter%5Bmatch%5D%5Bteam%5D=x', ['page']],
    ['filter[match][n]=1', ['page', 'note']],
    ['filter[match][done]=true', ['page', 'note']],
    ['filter[match][externalKey]=wiki/a', ['page']],
    ['filter[subjectKey]=7', ['note']],
    ['filter[match][colour]=red', []],
    ['filter={"where":{"n":{"gte":1}}}', ['note']],
    ['filter={"where":{"n":{"gte":"1"}}}', ['page']],
    ['filter={"where":{"n":{"ne":1}}}', ['bare', 'page']],
    ['filter={"where":{"kind":{"in":["note","page"]},"team":{"exists":false}}}', ['note']],
    ['filter={"where":{"createdAt":{"gte":"2100-01-01T00:00:00Z"}}}', []],
    ['filter[where][n][gte]=1', ['note']],
    ['filter[where][n][lt]=2&filter[kind]=note', ['note']],
    ['filter[where][kind][gt]=note', ['page']],
    ['filter[where][kind][in]=note,page&filter[where][team][exists]=true', ['page']],
    ['filter[where][updatedAt][lt]=2020-01-01', []],
  ])('%s finds %j', async (query, found) => {
    const app = await knownMemories();

    const answer = await app.send('GET', `${PATH}?${encodeURI(decodeURI(query))}`);

    expect(answer.status).toBe(200);
    expect((answer.body.results as { content: string }[]).map(({ content }) => content)).toEqual(found);
  });

  test.each<[string, string]>([
    ['filter=', 'filter'],
    ['filter=kind', 'filter'],
    ['filter={"kind":', 'filter'],
    ['filter=null', 'filter'],
    ['filter=[]', 'filter'],
    ['filter="note"', 'filter'],
    ['filter={"colour":"red"}', 'filter.colour'],
    ['filter={"kind":1}', 'filter.kind'],
    ['filter={"kind":null}', 'filter.kind'],
    ['filter={"__proto__":{"kind":"x"}}', 'filter.__proto__'],
    ['filter={"match":{"a":{}}}', 'filter.match.a'],
    ['filter={"match":{"a":[]}}', 'filter.match.a'],
    ['filter={"match":{"":1}}', 'filter.match'],
    ['filter={"match":{"n":9007199254740993}}', 'filter.match.n'],
    ['filter={"match":{"n":1e400}}', 'filter.match.n'],
    ['filter={"where":{"n":{}}}', 'filter.where.n'],
    ['filter={"where":{"n":{"like":1}}}', 'filter.where.n.like'],
    ['filter={"where":{"n":{"gt":9007199254740993}}}', 'filter.where.n.gt'],
    ['filter={"where":{"n":{"in":[]}}}', 'filter.where.n.in'],
    ['filter={"where":{"createdAt":{"gt":"x"}}}', 'filter.where.createdAt.gt'],
    ['filter={"where":{"externalKey":{"eq":"x"}}}', 'filter.where.externalKey'],
    ['filter[where][n][exists]=1', 'filter.where.n.exists'],
    ['filter[where][n]=1', 'filter[where][n]'],
    ['filter={}&filter={}', 'filter'],
    ['filter={}&filter[kind]=note', 'filter'],
    ['filter[kind]=note&filter[kind]=page', 'filter[kind]'],
    ['filter[colour]=red', 'filter.colour'],
    ['filter[]=x', 'filter[]'],
    ['filter[match]=x', 'filter[match]'],
    ['filter[match][a][b]=x', 'filter[match][a][b]'],
    ['filter[match][]=x', 'filter[match][]'],
    ['filter[kind][x]=y', 'filter[kind][x]'],
    ['filter[kind=note', 'filter[kind'],
    ['filter[__proto__][x]=y', 'filter[__proto__][x]'],
    ['filter[kind]=%00', 'filter.kind'],
    [`filter[kind]=${'x'.repeat(1_025)}`, 'filter.kind'],
    [`filter[match][${'k'.repeat(257)}]=x`, 'filter.match'],
    [Array.from({ length: 21 }, (_, index) => `filter[match][k${index}]=x`).join('&'), 'filter'],
  ])('?%s is rejected with 422', async (query, path) => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}?${encodeURI(decodeURI(query))}`);

    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', details: [{ path }] } });
  });

  test('with comparisons selects the memories of a search and of a deletion', async () => {
    const app = await knownMemories();
    const filter = { where: { n: { gte: 1 }, createdAt: { gt: '2020-01-01T00:00:00Z' } } };

    for (const mode of ['vector', 'keyword', 'hybrid']) {
      const { body } = await app.send('POST', '/api/memories/search', { query: 'note page bare', mode, filter });
      expect(body.results).toMatchObject([{ content: 'note' }]);
    }
    const deleted = await app.send('POST', '/api/memories/delete', { filter, expectedCount: 1 });
    const { body } = await app.send('GET', PATH);

    expect(deleted.body).toMatchObject({ deleted: 1, remaining: 0 });
    expect(body.results).toMatchObject([{ content: 'bare' }, { content: 'page' }]);
  });

  test.each(['9007199254740993', '9007199254740993.0', '1e400'])(
    'with the number %s in a body is rejected',
    async (n) => {
      const app = await testApp();
      const filter = `{"match":{"n":${n}}}`;

      const searched = await app.send('POST', '/api/memories/search', `{"query":"a","filter":${filter}}`);
      const deleted = await app.send('POST', '/api/memories/delete', `{"filter":${filter},"expectedCount":0}`);

      for (const answer of [searched, deleted]) {
        expect(answer).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', details: [{ path: 'filter.match.n' }] },
        });
      }
    },
  );

  test.each(['filter[subjectKey]=x', 'filter[subjectKey]=1.5', 'filter[subjectKey]=', 'filter={"subjectKey":"7"}'])(
    '?%s is rejected with 422 subject_key_invalid if subject keys are integers',
    async (query) => {
      const app = await knownMemories();

      const answer = await app.send('GET', `${PATH}?${encodeURI(query)}`);

      expect(answer).toMatchObject({ status: 422, body: { code: 'subject_key_invalid' } });
    },
  );

  test('by subject key is rejected with 422 subject_key_invalid until the type is chosen', async () => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}?filter[subjectKey]=7`);

    expect(answer).toMatchObject({ status: 422, body: { code: 'subject_key_invalid' } });
  });

  test.each([
    ['over 8 KiB', `filter[kind]=${'x'.repeat(8_192)}`],
    ['with a broken percent-encoding', 'filter[kind]=%zz'],
    ['that is not UTF-8', 'filter[kind]=%ff'],
  ])('in a query string %s is rejected with 422', async (_, query) => {
    const app = await testApp();

    const answer = await app.send('GET', `${PATH}?${query}`);

    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  test.each([
    '/api/memories/recent?',
    '/api/memories/export?',
    '/api/memories/stats?',
    '/api/memories/changes?since=2026-01-01&',
  ])('is accepted by %s', async (path) => {
    const app = await knownMemories();

    const answer = await app.send('GET', `${path}filter[kind]=note`);

    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('page');
  });
});
