import { describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/memories/search';

interface Result {
  id: string;
  content: string;
  score: number;
  similarity?: number;
}

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

async function store(app: TestApp, ...contents: string[]): Promise<void> {
  for (const content of contents) await app.send('POST', '/api/memories', { content });
}
