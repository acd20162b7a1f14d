import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { MissingCapabilityError } from '../../transport/prerequisite.js';
import { defineChecks } from '../check.js';
import { expectNoVector, expectRefusal } from '../matchers.js';

const WRONG = [
  { limit: 0 },
  { minScore: -0.1 },
  { minScore: 1.1 },
  { minRelevance: 1.1 },
  { recencyWeight: 2 },
  { recencyHalflifeDays: 0 },
  { diversity: 2 },
];
/** The maximum difference of one memory's similarity between two answers. */
const ROUNDING = 1e-4;
/** More distinct words than keyword search must use. */
const MANY_WORDS = 100;
/** More chunks than a search for two results would return. */
const LARGE_DOCUMENT = 30;
/** The number of results of a search over the whole organization. */
const RESULTS = 10;

const OPERATION = 'searchMemories';

interface Explained {
  score: number;
  explanation: { parts: Record<string, number> };
}

/** Reports if a search was rejected for its `rerank` alone. */
function lacksReranker({ status, body }: Answer): boolean {
  const { details = [] } = body as { details?: { path: string }[] };
  return status === 422 && details.every(({ path }) => path === 'rerank') && details.length > 0;
}

/** POST /api/memories/search. */
export const searchChecks = defineChecks('4.11', [
  {
    id: 'search-finds-by-text',
    level: 'must',
    requirement: 'A query finds the memory with the same text before others.',
    async run(target) {
      const project = target.word();
      const items = Array.from({ length: 10 }, () => target.fields({ metadata: { project } }));
      const { memories } = await target.batch(items);
      const wanted = memories[4];

      const found = await target.search({ query: wanted?.content ?? '', filter: { project } });

      expect(found.status).toBe(200);
      expect(found.ids[0]).toBe(wanted?.id);
    },
  },
  {
    id: 'search-finds-by-meaning',
    level: 'should',
    requirement: 'A query in other words finds the memory about its subject before those about others.',
    async run(target) {
      const project = target.word();
      const texts = [
        'The office coffee machine is cleaned every Monday morning.',
        'Deployments to production run on Friday at noon.',
        'Our invoices are paid within thirty days.',
      ];
      const items = texts.map((text) => target.fields({ content: `${text} ${target.word()}`, metadata: { project } }));
      const { ids } = await target.batch(items);

      const found = await target.search({ query: 'when do we deploy to production', filter: { project } });

      expect(found.ids[0]).toBe(ids[1]);
    },
  },
  {
    id: 'search-best-first',
    level: 'should',
    requirement: 'Results are ordered by score, the best first.',
    async run(target) {
      const project = target.word();
      const items = Array.from({ length: 6 }, () => target.fields({ metadata: { project } }));
      await target.batch(items);

      const scores = (await target.search({ query: items[0]?.content, filter: { project } })).memories.map(
        ({ score = Number.NaN }) => score,
      );

      expect(scores).toHaveLength(6);
      expect(scores).toEqual([...scores].sort((one, other) => other - one));
    },
  },
  {
    id: 'search-read-your-writes',
    level: 'should',
    requirement: 'A memory is found as soon as its write is answered.',
    async run(target) {
      const project = target.word();
      for (let round = 0; round < 3; round++) {
        const { id, content } = await target.stored({ metadata: { project } });
        expect((await target.search({ query: content, filter: { project } })).ids[0]).toBe(id);
      }
    },
  },
  {
    id: 'search-limit',
    level: 'must',
    requirement: 'limit bounds the number of results.',
    async run(target) {
      const project = target.word();
      await target.batch([1, 2, 3].map(() => target.fields({ metadata: { project } })));

      expect((await target.search({ query: 'memory', filter: { project }, limit: 2 })).memories).toHaveLength(2);
    },
  },
  {
    id: 'search-default-limit',
    level: 'should',
    requirement: 'Without a limit, ten results are returned.',
    async run(target) {
      const project = await target.projectBeyondAPage();

      expect((await target.search({ query: 'memory', filter: { project } })).memories).toHaveLength(
        target.contract.limitOf(OPERATION).default,
      );
    },
  },
  {
    id: 'search-filter-before-ranking',
    level: 'must',
    requirement: 'The filter is applied before the best are picked, so that all that match it are found.',
    async run(target) {
      const project = target.word();
      // All of them are closer to the query than the memory that the filter selects.
      const query = `one of ${await target.projectBeyondAPage()}`;
      const far = await target.stored({ metadata: { project } });

      expect((await target.search({ query, filter: { project }, limit: 1 })).ids).toEqual([far.id]);
    },
  },
  {
    id: 'search-min-score',
    level: 'must',
    requirement: 'minScore excludes less similar memories.',
    async run(target) {
      const project = target.word();
      const items = Array.from({ length: 4 }, () => target.fields({ metadata: { project } }));
      await target.batch(items);
      const query = { query: items[0]?.content, filter: { project } };
      const [best, second] = (await target.search(query)).memories;
      const between = ((best?.similarity ?? 1) + (second?.similarity ?? 0)) / 2;

      const found = await target.search({ ...query, minScore: between });

      expect(found.ids).toEqual([best?.id]);
    },
  },
  {
    id: 'search-recency',
    level: 'must',
    requirement: 'recencyWeight ranks newer memories before more similar ones.',
    async run(target) {
      const project = target.word();
      const { id: older, content } = await target.stored({ metadata: { project } });
      const { id: newer } = await target.stored({ metadata: { project } });

      const byText = await target.search({ query: content, filter: { project }, recencyWeight: 0 });
      const byAge = await target.search({
        query: content,
        filter: { project },
        recencyWeight: 1,
        recencyHalflifeDays: 0.000_01,
      });

      expect(byText.ids).toEqual([older, newer]);
      expect(byAge.ids).toEqual([newer, older]);
    },
  },
  {
    id: 'search-query-is-required',
    level: 'must',
    requirement: 'A search without a query, or with one that is not text, is rejected with 422.',
    async run(target) {
      for (const body of [{}, { query: 7 }, { query: '' }]) expectRefusal(await target.search(body), 422);
    },
  },
  {
    id: 'search-bounds-422',
    level: 'should',
    requirement:
      'A limit, minScore, minRelevance, recencyWeight, half-life or diversity out of bounds is rejected with 422.',
    async run(target) {
      const { maximum } = target.contract.limitOf(OPERATION);

      for (const wrong of [{ limit: maximum + 1 }, ...WRONG])
        expectRefusal(await target.search({ query: 'x', ...wrong }), 422);
    },
  },
  {
    id: 'search-meta-count',
    level: 'should',
    requirement: 'meta has the number of results and the mode.',
    async run(target) {
      const project = target.word();
      await target.stored({ metadata: { project } });

      const answer = await target.search({ query: 'memory', filter: { project } });

      expect(answer.body.meta).toEqual({ count: 1, mode: 'vector' });
    },
  },
  {
    id: 'search-by-keyword',
    level: 'should',
    requirement: 'The modes keyword and hybrid find a word that only one memory has.',
    async run(target) {
      const project = target.word();
      const rare = `zq${target.word().slice(2)}`;
      await target.batch([1, 2, 3].map(() => target.fields({ metadata: { project } })));
      const { id } = await target.stored({ content: target.unique(`about ${rare}`), metadata: { project } });

      for (const mode of ['keyword', 'hybrid']) {
        expect((await target.search({ query: rare, filter: { project }, mode })).ids[0]).toBe(id);
      }
    },
  },
  {
    id: 'search-words-left-out',
    level: 'should',
    requirement: 'Only an answer to a query of many words says that some were left out; the memory with all is found.',
    async run(target) {
      const project = target.word();
      const words = Array.from({ length: MANY_WORDS }, () => target.word());
      const { id } = await target.stored({ content: words.join(' '), metadata: { project } });
      const search = (query: string) => target.search({ query, filter: { project }, mode: 'keyword' });

      const few = await search(words.slice(0, 3).join(' '));
      const many = await search(words.join(' '));

      expect(few.body.meta).toEqual({ count: 1, mode: 'keyword' });
      expect(many.ids).toEqual([id]);
    },
  },
  {
    id: 'search-exact',
    level: 'should',
    requirement: 'An exact search finds the closest of all, and nothing closer is found by one that is not.',
    async run(target) {
      const project = target.word();
      const items = Array.from({ length: 8 }, () => target.fields({ metadata: { project } }));
      await target.batch(items);
      const query = items[0]?.content;
      const found = async (search: object) =>
        (await target.search({ query, ...search })).memories.map(({ id, similarity = Number.NaN }) => ({
          id,
          similarity,
        }));

      const all = await found({ filter: { project }, limit: target.contract.limitOf(OPERATION).maximum });
      const exact = await found({ filter: { project }, limit: 3, exact: true });
      // Others write and delete meanwhile: only results of both of these searches were there for the exact search too.
      const before = await found({ limit: RESULTS });
      const everywhere = await found({ limit: RESULTS, exact: true });
      const after = await found({ limit: RESULTS });

      expect(all).toHaveLength(8);
      expect(exact).toHaveLength(3);
      for (const [rank, { similarity }] of exact.entries())
        expect(similarity).toBeCloseTo(all[rank]?.similarity ?? Number.NaN, 3);
      const worst = everywhere.length < RESULTS ? Number.NEGATIVE_INFINITY : (everywhere.at(-1)?.similarity ?? 0);
      for (const { id, similarity } of before) {
        const later = after.find((each) => each.id === id)?.similarity ?? Number.NEGATIVE_INFINITY;
        if (Math.min(similarity, later) > worst + ROUNDING) expect(everywhere.map((each) => each.id)).toContain(id);
      }
    },
  },
  {
    id: 'search-exact-keyword-422',
    level: 'should',
    requirement: 'An exact search by keyword, where no vectors are compared, is rejected with 422.',
    async run(target) {
      expectRefusal(await target.search({ query: 'x', mode: 'keyword', exact: true }), 422);
      expect((await target.search({ query: 'x', mode: 'keyword', exact: false })).status).toBe(200);
    },
  },
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
  {
    id: 'search-has-no-vector',
    level: 'must',
    requirement: 'Embeddings are left out of search results.',
    async run(target) {
      const { content } = await target.stored();

      expectNoVector((await target.search({ query: content, limit: 1 })).body);
    },
  },
]);
