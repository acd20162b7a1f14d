import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { LetterEmbedder } from '../../testing/fixtures/letter-embedder.js';

const PATH = '/api/memories/search';

interface Result {
  id: string;
  content: string;
  score: number;
  similarity?: number;
}

describe('searchMemories', () => {
  test('answers the closest memories with score and similarity, best first', async () => {
    const app = await testApp();
    await store(app, 'Deploys run on Fridays at noon.', 'The office plants need water.', 'Nobody deploys on holidays.');

    const answer = await app.send('POST', PATH, { query: 'When do deploys run?' });

    const results = answer.body.results as Result[];
    expect(answer.status).toBe(200);
    expect(answer.body.meta).toEqual({ count: results.length, mode: 'vector' });
    expect(results[0]).toMatchObject({ content: 'Deploys run on Fridays at noon.' });
    expect(results.map(({ score }) => score)).toEqual(results.map(({ similarity }) => similarity));
    expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).sort((a, b) => b - a));
  });

  test('finds a memory right after its 201', async () => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'The vault code changes weekly.' });

    const answer = await app.send('POST', PATH, { query: 'vault code', limit: 1 });

    expect(answer.body.results).toMatchObject([{ id: body.id }]);
  });

  test('returns ten results by default, and at most limit', async () => {
    const app = await testApp({ embedder: new LetterEmbedder(undefined, 1.1) });
    await store(app, ...Array.from({ length: 12 }, (_, index) => `note number ${index}`));

    const unasked = await app.send('POST', PATH, { query: 'note' });
    const asked = await app.send('POST', PATH, { query: 'note', limit: 3 });

    expect(unasked.body.meta).toMatchObject({ count: 10 });
    expect(asked.body.meta).toMatchObject({ count: 3 });
  });

  test('filters before it selects the best', async () => {
    const app = await testApp();
    await store(app, 'deploys deploys', 'deploys on Fridays', 'more deploys');
    await app.send('POST', '/api/memories', { content: 'unlike any of it', metadata: { kind: 'page', n: 1 } });

    const answer = await app.send('POST', PATH, {
      query: 'deploys',
      limit: 1,
      filter: { kind: 'page', match: { n: 1 } },
    });

    expect(answer.body.results).toMatchObject([{ content: 'unlike any of it' }]);
  });

  test('filters by subject key and by external key', async () => {
    const app = await testApp();
    await app.send('PATCH', '/api/organization/settings', { subjectKeyType: 'integer' });
    await app.send('POST', '/api/memories', { content: 'about seven', subjectKey: 7 });
    await app.send('POST', '/api/memories', { content: 'with a key', externalKey: 'k' });

    const bySubject = await app.send('POST', PATH, { query: 'x', filter: { subjectKey: 7 } });
    const byKey = await app.send('POST', PATH, { query: 'x', filter: { match: { externalKey: 'k' } } });

    expect(bySubject.body.results).toMatchObject([{ content: 'about seven' }]);
    expect(byKey.body.results).toMatchObject([{ content: 'with a key' }]);
  });

  test.each([true, 'true', '1'])('finds deleted memories if includeDeleted is %j', async (includeDeleted) => {
    const app = await testApp();
    const { body } = await app.send('POST', '/api/memories', { content: 'gone' });
    await app.send('DELETE', `/api/memories/${body.id}`);

    const without = await app.send('POST', PATH, { query: 'gone' });
    const answer = await app.send('POST', PATH, { query: 'gone', includeDeleted });

    expect(without.body.results).toEqual([]);
    expect(answer.body.results).toMatchObject([{ id: body.id, deletedAt: expect.any(String) }]);
  });

  test('leaves out memories whose similarity is below minScore', async () => {
    const app = await testApp();
    await store(app, 'Deploys run on Fridays.', 'The office plants need water.');

    const answer = await app.send('POST', PATH, { query: 'deploys on fridays', minScore: 0.5 });

    expect(answer.body.results).toMatchObject([{ content: 'Deploys run on Fridays.' }]);
  });

  test('adds recency to the score', async () => {
    const app = await testApp();
    await store(app, 'The office plants need water.');

    const answer = await app.send('POST', PATH, { query: 'deploys', recencyWeight: 1, recencyHalflifeDays: 0.5 });

    const [result] = answer.body.results as Result[];
    expect(result?.score).toBeGreaterThan(0.99);
    expect(result?.similarity).toBeLessThan(0.5);
  });

  test.each([
    ['vector', true],
    ['vector', '1'],
    ['hybrid', 'true'],
  ])('finds the same in mode %s if exact is %j', async (mode, exact) => {
    const app = await testApp();
    await store(app, 'Deploys run on Fridays at noon.', 'The office plants need water.', 'Nobody deploys on holidays.');

    const plain = await app.send('POST', PATH, { query: 'When do deploys run?', mode });
    const answer = await app.send('POST', PATH, { query: 'When do deploys run?', mode, exact });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(plain.body);
  });

  test('accepts exact: false in every mode', async () => {
    const app = await testApp();

    const answers = await Promise.all(
      ['vector', 'keyword', 'hybrid'].map((mode) => app.send('POST', PATH, { query: 'a', mode, exact: '0' })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test.each(['keyword', 'hybrid'])('finds an exact word in mode %s', async (mode) => {
    const app = await testApp();
    await store(app, 'Error E4711 means a full disk.', 'The office plants need water.');

    const answer = await app.send('POST', PATH, { query: 'E4711', mode, limit: 1 });

    expect(answer.body).toMatchObject({
      results: [{ content: 'Error E4711 means a full disk.' }],
      meta: { count: 1, mode },
    });
  });

  test.each<[string, unknown, string]>([
    ['a missing query', {}, 'query'],
    ['an empty query', { query: '' }, 'query'],
    ['a blank query', { query: ' \u3000' }, 'query'],
    ['a query of 8,193 characters', { query: 'x'.repeat(8_193) }, 'query'],
    ['a query with U+0000', { query: 'a\0' }, 'query'],
    ['a query that is a list', { query: ['a'] }, 'query'],
    ['a limit of 0', { query: 'a', limit: 0 }, 'limit'],
    ['a limit of 51', { query: 'a', limit: 51 }, 'limit'],
    ['a fractional limit', { query: 'a', limit: 5.5 }, 'limit'],
    ['a limit that is a string', { query: 'a', limit: '5' }, 'limit'],
    ['a limit of null', { query: 'a', limit: null }, 'limit'],
    ['a minScore below 0', { query: 'a', minScore: -0.1 }, 'minScore'],
    ['a minScore above 1', { query: 'a', minScore: 1.1 }, 'minScore'],
    ['a minScore that is infinite', '{"query":"a","minScore":1e999}', 'minScore'],
    ['a minScore in keyword mode', { query: 'a', minScore: 0.5, mode: 'keyword' }, 'minScore'],
    ['an exact search in keyword mode', { query: 'a', exact: true, mode: 'keyword' }, 'exact'],
    ['an exact of yes', { query: 'a', exact: 'yes' }, 'exact'],
    ['a recencyWeight above 1', { query: 'a', recencyWeight: 2 }, 'recencyWeight'],
    ['a half-life of 0', { query: 'a', recencyHalflifeDays: 0 }, 'recencyHalflifeDays'],
    ['a half-life of 3,651 days', { query: 'a', recencyHalflifeDays: 3_651 }, 'recencyHalflifeDays'],
    ['a diversity above 1', { query: 'a', diversity: 1.1 }, 'diversity'],
    ['a diversity in keyword mode', { query: 'a', diversity: 0.5, mode: 'keyword' }, 'diversity'],
    ['a minRelevance above 1', { query: 'a', minRelevance: 1.1 }, 'minRelevance'],
    ['a minRelevance in keyword mode', { query: 'a', minRelevance: 0.5, mode: 'keyword' }, 'minRelevance'],
    ['an unknown mode', { query: 'a', mode: 'semantic' }, 'mode'],
    ['another grouping', { query: 'a', groupBy: 'kind' }, 'groupBy'],
    ['an includeDeleted of 1', { query: 'a', includeDeleted: 1 }, 'includeDeleted'],
    ['an includeDeleted of yes', { query: 'a', includeDeleted: 'yes' }, 'includeDeleted'],
    ['a filter that is a string', { query: 'a', filter: '{"kind":"x"}' }, 'filter'],
    ['an unknown key in the filter', { query: 'a', filter: { colour: 'red' } }, 'filter.colour'],
    ['a filter value of another type', { query: 'a', filter: { kind: 5 } }, 'filter.kind'],
    ['a match that is a list', { query: 'a', filter: { match: [] } }, 'filter.match'],
    ['a match value that is an object', { query: 'a', filter: { match: { k: {} } } }, 'filter.match.k'],
    ['a match of 21 keys', { query: 'a', filter: { match: keys(21) } }, 'filter.match'],
    ['21 keys in total', { query: 'a', filter: { kind: 'x', match: keys(20) } }, 'filter'],
    ['a match key of 257 characters', { query: 'a', filter: { match: { ['k'.repeat(257)]: 1 } } }, 'filter.match'],
    ['a filter value of 1,025 characters', { query: 'a', filter: { kind: 'x'.repeat(1_025) } }, 'filter.kind'],
    [
      'an external key that is a number',
      { query: 'a', filter: { match: { externalKey: 5 } } },
      'filter.match.externalKey',
    ],
    ['an unknown field', { query: 'a', top: 5 }, 'top'],
  ])('rejects %s with 422, naming the field', async (_, body, path) => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, body);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'validation_failed' });
    expect(answer.body.details).toContainEqual({ path, message: expect.any(String) });
  });

  test('rejects a subject key before the type is chosen with 422 subject_key_invalid', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { query: 'a', filter: { subjectKey: 7 } });

    expect(answer).toMatchObject({ status: 422, body: { code: 'subject_key_invalid' } });
  });

  test('answers 503 while the query cannot be embedded, but keyword search works', async () => {
    const embedder = new LetterEmbedder();
    const app = await testApp({ embedder });
    await store(app, 'words to find');
    embedder.down = true;

    const vector = await app.send('POST', PATH, { query: 'words' });
    const keyword = await app.send('POST', PATH, { query: 'words', mode: 'keyword' });

    expect(vector).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable' },
      headers: { 'retry-after': '1' },
    });
    expect(keyword).toMatchObject({ status: 200, body: { meta: { count: 1 } } });
  });
});

async function store(app: TestApp, ...contents: string[]): Promise<void> {
  for (const content of contents) await app.send('POST', '/api/memories', { content });
}

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}
