import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

const DOCUMENTS = ['README.md', 'docs/search.md', 'docs/sdk.md', 'docs/configuration.md'];
/** Few words, repeated words, many scripts: vectors with few or large components. */
const HARD = [
  'a',
  '会议在三点',
  'no no no no no no no no',
  'x_1 = getUser(7)',
  '👍',
  'Это сообщение по-русски',
  '1 2 3 4 5 6 7 8 9',
  'The quick brown fox jumps over the lazy dog',
];
const QUESTIONS = [
  { mode: 'vector' },
  { mode: 'vector', exact: true },
  { mode: 'vector', recencyWeight: 0.4 },
  { mode: 'vector', recencyWeight: 0.4, exact: true },
  { mode: 'hybrid' },
  { mode: 'hybrid', exact: true, recencyWeight: 0.4 },
];

interface Result {
  id: string;
  similarity: number;
}

test('a result stays when minScore equals its own similarity, in each mode', { timeout: 240_000 }, async () => {
  const app = await testApp();
  const texts = [...new Set([...HARD, ...DOCUMENTS.flatMap(linesOf)])].slice(0, 300);
  const items = texts.map((content) => ({ content }));
  for (let at = 0; at < items.length; at += 50) {
    const { status } = await app.send('POST', '/api/memories/batch', { items: items.slice(at, at + 50) });
    expect(status).toBe(200);
  }

  // A content that is its own query has rounding errors on both sides.
  const queries = [...HARD, ...texts.filter((_, index) => index % 25 === 0)];
  for (const [index, query] of queries.entries()) {
    for (const question of [QUESTIONS[index % QUESTIONS.length], QUESTIONS[(index + 1) % QUESTIONS.length]]) {
      const asked = { query, limit: 5, ...question };
      for (const { id, similarity } of await resultsOf(app, asked)) {
        const survivors = await resultsOf(app, { ...asked, minScore: similarity });
        expect(
          survivors.map((result) => result.id),
          JSON.stringify(asked),
        ).toContain(id);
      }
    }
  }
});

async function resultsOf(app: TestApp, question: object): Promise<Result[]> {
  const { body } = await app.send('POST', '/api/memories/search', question);
  return body.results as Result[];
}

function linesOf(document: string): string[] {
  const text = readFileSync(new URL(`../../../${document}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.trim().length > 3 && line.length < 2_000);
}
