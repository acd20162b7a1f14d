import { expect } from 'vitest';
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
/** The number of results of a search over the whole organization. */
const RESULTS = 10;

const OPERATION = 'searchMemories';

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
    id: 'search-has-no-vector',
    level: 'must',
    requirement: 'Embeddings are left out of search results.',
    async run(target) {
      const { content } = await target.stored();

      expectNoVector((await target.search({ query: content, limit: 1 })).body);
    },
  },
]);
