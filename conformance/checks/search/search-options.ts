import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { MissingCapabilityError } from '../../transport/prerequisite.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

/** More chunks than a search for two results would return. */
const LARGE_DOCUMENT = 30;

interface Explained {
  score: number;
  explanation: { parts: Record<string, number> };
}

/** Reports if a search was rejected for its `rerank` alone. */
function lacksReranker({ status, body }: Answer): boolean {
  const { details = [] } = body as { details?: { path: string }[] };
  return status === 422 && details.every(({ path }) => path === 'rerank') && details.length > 0;
}

/** Options of POST /api/memories/search that score, order or group the results. */
export const searchOptionChecks = defineChecks('4.11', [
  {
    id: 'search-explain',
    level: 'should',
    requirement: 'With explain, each result has the parts of its score and the words that matched; without, neither.',
    async run(target) {
      const word = target.word().replace(/[^a-z0-9]/gi, '');
      const { id } = await target.stored({ content: `${word} ${target.unique('explained')}` });

      const explained = await target.search({ query: word, mode: 'keyword', limit: 1, explain: true });
      const plain = await target.search({ query: word, mode: 'keyword', limit: 1 });

      expect(explained.memories).toMatchObject([
        { id, explanation: { keyword: { rank: 1 }, matchedWords: [{ forms: [word] }] } },
      ]);
      for (const { score, explanation } of explained.body.results as Explained[]) {
        const sum = Object.values(explanation.parts).reduce((total, part) => total + part, 0);
        expect(sum).toBeCloseTo(score, 6);
      }
      expect(plain.memories[0]).not.toHaveProperty('explanation');
    },
  },
  {
    id: 'search-rerank',
    level: 'should',
    needs: ['rerank'],
    requirement: 'With rerank, a search in each mode is ordered by the scores of the reranker, which it explains.',
    async run(target) {
      const project = target.word();
      const topic = target.word();
      const items = ['', ' and more', ' and much more'].map((more) =>
        target.fields({ content: `${topic} ${target.word()}${more}`, metadata: { project } }),
      );
      const { ids } = await target.batch(items);

      for (const mode of ['vector', 'keyword', 'hybrid']) {
        const search = { query: topic, filter: { project }, mode, rerank: true, explain: true };
        const found = await target.search(search);
        if (lacksReranker(found)) throw new MissingCapabilityError('the embedding provider has no reranker');

        const results = found.body.results as Explained[];
        expect(found.ids.toSorted()).toEqual([...ids].sort());
        expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).sort((a, b) => b - a));
        for (const { score, explanation } of results) {
          expect(Object.keys(explanation.parts)).toEqual(['rerank']);
          expect(explanation.parts.rerank).toBeCloseTo(score, 6);
        }
      }
    },
  },
  {
    id: 'search-group-by-document',
    level: 'should',
    requirement:
      'Grouped by documentId, each document and subject has one result, with the number of others that match.',
    async run(target) {
      const project = target.word();
      const [documentId, content] = [target.word(), target.unique('grouped')];
      const labels = { project, documentId, chunkTotal: 3 };
      for (const chunkIndex of [0, 1, 2]) {
        await target.stored({ content: `${content} ${chunkIndex}`, metadata: { ...labels, chunkIndex } });
      }
      const { id } = await target.stored({ content: `${content} alone`, metadata: { project } });

      for (const mode of ['vector', 'keyword', 'hybrid']) {
        const search = { query: content, filter: { project }, mode, groupBy: 'documentId' };
        const { body, ids } = await target.search({ ...search, limit: 2 });
        const groups = (body.results as { group?: object }[]).map(({ group }) => group);

        expect(ids).toHaveLength(2);
        expect(ids).toContain(id);
        expect(groups).toContainEqual({ documentId, others: 2 });
        expect(groups[ids.indexOf(id)]).toBeUndefined();
      }
    },
  },
  {
    id: 'search-group-limit',
    level: 'should',
    requirement: 'Grouped by documentId, limit counts documents: the search continues behind the chunks of one.',
    async run(target) {
      const project = target.word();
      const [documentId, content] = [target.word(), target.unique('grouped')];
      const chunks = Array.from({ length: LARGE_DOCUMENT }, (_, chunkIndex) => ({
        content: `${content} ${chunkIndex}`,
        metadata: { project, documentId, chunkIndex, chunkTotal: LARGE_DOCUMENT },
      }));
      await target.batch(chunks);
      const { id } = await target.stored({ content: target.unique('other'), metadata: { project } });

      const found = await target.search({ query: content, filter: { project }, groupBy: 'documentId', limit: 2 });

      expect(found.memories).toHaveLength(2);
      expect(found.ids[1]).toBe(id);
    },
  },
  {
    id: 'search-diversity',
    level: 'should',
    requirement: 'With diversity, a result that repeats the first one comes after another that does not.',
    async run(target) {
      const project = target.word();
      const [same, other] = [target.unique('repeated'), target.unique('another')];
      const items = [`${same} 1`, `${same} 2`, other].map((content) =>
        target.fields({ content, metadata: { project } }),
      );
      const { ids } = await target.batch(items);

      for (const mode of ['vector', 'hybrid']) {
        const search = { query: same, filter: { project }, mode };
        const plain = await target.search(search);
        const diverse = await target.search({ ...search, diversity: 1 });

        expect(plain.ids[2]).toBe(ids[2]);
        expect(diverse.ids[0]).toBe(plain.ids[0]);
        expect(diverse.ids[1]).toBe(ids[2]);
      }
    },
  },
  {
    id: 'search-diversity-keyword-422',
    level: 'should',
    requirement: 'A diverse search by keyword, where no vectors are compared, is rejected with 422.',
    async run(target) {
      expectRefusal(await target.search({ query: 'x', mode: 'keyword', diversity: 0.5 }), 422);
      expect((await target.search({ query: 'x', mode: 'keyword', diversity: 0 })).status).toBe(200);
    },
  },
  {
    id: 'search-relevance',
    level: 'should',
    requirement:
      'The text of the query has relevance 1, in any case; another memory has less. It rises with similarity.',
    async run(target) {
      const project = target.word();
      const items = [1, 2, 3].map(() => target.fields({ metadata: { project } }));
      const { ids } = await target.batch(items);

      for (const mode of ['vector', 'hybrid']) {
        const search = { query: items[1]?.content?.toUpperCase() ?? '', filter: { project }, mode };
        const found = await target.search(search);
        const results = found.body.results as { id: string; similarity: number; relevance: number }[];
        const relevances = results.map(({ relevance }) => relevance);
        const bySimilarity = results.toSorted((one, other) => other.similarity - one.similarity);

        expect(results.find(({ id }) => id === ids[1])?.relevance).toBe(1);
        expect(relevances.filter((relevance) => relevance >= 0 && relevance < 1)).toHaveLength(2);
        const others = bySimilarity.filter(({ id }) => id !== ids[1]).map(({ relevance }) => relevance);
        expect(others).toEqual(others.toSorted((one, other) => other - one));
      }
    },
  },
  {
    id: 'search-min-relevance',
    level: 'should',
    requirement: 'minRelevance excludes less relevant memories, never the one with the text of the query.',
    async run(target) {
      const project = target.word();
      const items = [1, 2, 3].map(() => target.fields({ metadata: { project } }));
      const { ids } = await target.batch(items);

      for (const mode of ['vector', 'hybrid']) {
        const search = { query: items[1]?.content ?? '', filter: { project }, mode };
        expect((await target.search({ ...search, minRelevance: 1 })).ids).toEqual([ids[1]]);
        expect((await target.search({ ...search, minRelevance: 0 })).ids).toHaveLength(3);
      }
    },
  },
  {
    id: 'search-min-relevance-keyword-422',
    level: 'should',
    requirement: 'A search by keyword with minRelevance, where no vectors are compared, is rejected with 422.',
    async run(target) {
      expectRefusal(await target.search({ query: 'x', mode: 'keyword', minRelevance: 0.5 }), 422);
    },
  },
]);
