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

describe('the relevance of results', () => {
  const TEXTS = ['a', 'It is what it is.', '1 2 3 4 5 6 7 8 9', '会議在三点', '👍', 'Deploys run on Fridays at noon.'];

  test.each([
    ['vector', 0],
    ['vector', 0.5],
    ['hybrid', 0],
  ])('is 1 for the text of the query in mode %s with a weight of recency of %d', async (mode, recencyWeight) => {
    const app = await testApp();
    await store(app, ...TEXTS);

    for (const query of TEXTS) {
      const { body } = await app.send('POST', PATH, { query, mode, recencyWeight, minRelevance: 1 });
      expect(body.results, query).toMatchObject([{ content: query, relevance: 1 }]);
    }
  });

  test.each(['vector', 'hybrid'])('keeps a result in mode %s if it is sent as minRelevance', async (mode) => {
    const app = await testApp();
    await store(app, ...TEXTS, 'Nobody deploys on holidays.', 'The office plants need water on Fridays.');
    const ask = async (minRelevance: number) => {
      const { body } = await app.send('POST', PATH, { query: 'When do deploys run?', mode, minRelevance });
      return body.results as (Result & { relevance: number })[];
    };

    const all = await ask(0);

    expect(all[0]?.relevance).toBeGreaterThan(0.5);
    for (const { id, relevance } of all) {
      const found = await ask(relevance);
      expect(found.map((result) => result.id)).toContain(id);
      expect(Math.min(...found.map((result) => result.relevance))).toBeGreaterThanOrEqual(relevance);
    }
  });

  test('is left out where there is no similarity, and of similar memories', async () => {
    const app = await testApp();
    await store(app, 'Deploys run on Fridays at noon.', 'Nobody deploys on holidays.');

    const { body } = await app.send('POST', PATH, { query: 'deploys', mode: 'keyword' });
    const [first] = body.results as Result[];
    const similar = await app.send('GET', `/api/memories/${first?.id}/similar`);

    expect(first).not.toHaveProperty('relevance');
    expect((similar.body.results as Result[])[0]).not.toHaveProperty('relevance');
  });
});

describe('searchMemories with diversity', () => {
  test.each(['vector', 'hybrid'])('prefers what the first result does not say in mode %s', async (mode) => {
    const app = await testApp();
    const [first, repeated, other] = [
      'Deploys run on Fridays at noon.',
      'Deploys run on Fridays, at noon sharp.',
      'Nobody deploys on holidays.',
    ];
    await store(app, first, repeated, other);
    const ask = async (diversity: number, limit = 3) => {
      const { body } = await app.send('POST', PATH, { query: first, mode, diversity, limit });
      return (body.results as Result[]).map(({ content }) => content);
    };

    expect(await ask(0)).toEqual([first, repeated, other]);
    expect(await ask(0.6)).toEqual([first, other, repeated]);
    expect(await ask(0.6, 2)).toEqual([first, other]);
  });

  test('applies to the best memories of documents', async () => {
    const app = await testApp();
    const chunk = (content: string, documentId: string) => ({
      content,
      metadata: { documentId, chunkIndex: 0, chunkTotal: 1 },
    });
    const contents = ['Deploys run on Fridays at noon.', 'Deploys run on Fridays, at noon sharp.', 'Nobody deploys.'];
    const items = contents.map((content, index) => chunk(content, `d${index}`));
    await app.send('POST', '/api/memories/batch', { items });

    const query = { query: contents[0], groupBy: 'documentId', diversity: 0.6 };
    const { body } = await app.send('POST', PATH, query);

    const ids = (body.results as { group: { documentId: string } }[]).map(({ group }) => group.documentId);
    expect(ids).toEqual(['d0', 'd2', 'd1']);
  });
});

describe('searchMemories grouped by document', () => {
  const chunk = (documentId: string, chunkIndex: number, content: string) => ({
    content,
    metadata: { documentId, chunkIndex, chunkTotal: 9 },
  });

  test.each(['vector', 'keyword', 'hybrid'])('counts documents as results in mode %s', async (mode) => {
    const app = await testApp();
    const items = Array.from({ length: 9 }, (_, n) => chunk('calendar', n, `Deploys run on Friday ${n}.`));
    await app.send('POST', '/api/memories/batch', { items: [...items, chunk('plants', 0, 'Water on Friday.')] });
    await store(app, 'Nobody works on the Friday before a holiday.');

    const grouped = await app.send('POST', PATH, { query: 'deploys Friday', mode, groupBy: 'documentId', limit: 3 });
    const plain = await app.send('POST', PATH, { query: 'deploys Friday', mode, limit: 3 });

    const groupsOf = ({ body }: { body: Record<string, unknown> }) =>
      (body.results as { group?: { documentId: string; others: number } }[]).map(({ group }) => group);
    expect(grouped.body.meta).toEqual({ count: 3, mode });
    expect(groupsOf(grouped)).toContainEqual({ documentId: 'calendar', others: 8 });
    expect(groupsOf(grouped)).toContainEqual({ documentId: 'plants', others: 0 });
    expect(groupsOf(grouped)).toContainEqual(undefined);
    expect(groupsOf(plain)).toEqual([undefined, undefined, undefined]);
  });
});

async function store(app: TestApp, ...contents: string[]): Promise<void> {
  for (const content of contents) await app.send('POST', '/api/memories', { content });
}

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}

describe('searchMemories with explain', () => {
  interface Explained extends Result {
    explanation: {
      parts: { meaning?: number; words?: number; recency?: number };
      keyword?: { rank: number; relevance: number; share: number };
      matchedWords: { term: string; forms: string[] }[];
    };
  }

  async function explained(body: object): Promise<Explained[]> {
    const app = await testApp();
    await store(app, 'Deploys run on Fridays at noon.', 'The office plants need water.', 'Nobody deploys on holidays.');
    const answer = await app.send('POST', PATH, { query: 'deploys on Fridays', explain: true, ...body });
    expect(answer.status).toBe(200);
    return answer.body.results as Explained[];
  }

  const sum = ({ explanation: { parts } }: Explained) => Object.values(parts).reduce((total, part) => total + part, 0);

  test.each([
    ['vector', 0, ['meaning']],
    ['vector', 0.3, ['meaning', 'recency']],
    ['keyword', 0, ['words']],
    ['keyword', 0.3, ['words', 'recency']],
    ['hybrid', 0, ['meaning', 'words']],
    ['hybrid', 0.3, ['meaning', 'words', 'recency']],
  ])(
    'splits the score of mode %s with a weight of recency of %d into its parts',
    async (mode, recencyWeight, parts) => {
      const results = await explained({ mode, recencyWeight });

      expect(results.length).toBeGreaterThan(1);
      for (const result of results) {
        expect(Object.keys(result.explanation.parts)).toEqual(parts);
        expect(sum(result)).toBeCloseTo(result.score, 9);
      }
    },
  );

  test('returns the place in the ranking by words, and the words that matched', async () => {
    for (const mode of ['keyword', 'hybrid']) {
      const [first] = await explained({ mode });

      expect(first?.explanation.keyword).toEqual({ rank: 1, relevance: expect.any(Number), share: expect.any(Number) });
      expect(first?.explanation.keyword?.share).toBeGreaterThan(0);
      expect(first?.explanation.matchedWords.flatMap(({ forms }) => forms)).toEqual(['Deploys', 'Fridays']);
    }
    const [first] = await explained({ mode: 'vector' });
    expect(first?.explanation).not.toHaveProperty('keyword');
  });

  test('adds nothing to results without it', async () => {
    const results = await explained({ explain: false });

    for (const result of results) expect(result).not.toHaveProperty('explanation');
  });
});
