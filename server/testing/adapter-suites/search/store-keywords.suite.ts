import { describe, expect, test } from 'vitest';
import { NO_FILTER } from '../../../domain/filter/filter.js';
import type { KeptMatches, KeywordMatch } from '../../../ports/memory-reader.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization, atCosine, change, NORTH, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const ACTIVE = { filter: NO_FILTER, includeDeleted: false };

const SCORES: readonly KeptMatches['scoreOf'][] = [
  ({ similarity }) => (similarity < 0.2 ? undefined : similarity),
  ({ similarity, relevance }, most) => similarity + relevance / most,
  ({ createdAt }) => createdAt,
  ({ relevance }) => Math.round(3 * relevance),
];
const KEPT = SCORES.flatMap((scoreOf) => [1, 5, 17, 60].map((limit): KeptMatches => ({ limit, scoreOf })));

/** Tests keyword search. */
export function keywordsSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: keyword search`, () => {
    test('finds memories with any of the words, rare words first', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const contents = ['deploys run on Fridays', 'deploys fail', 'deploys need a reviewer', 'lunch is at noon'];
      await store(tested, organizationId, ...contents.map((content) => ({ content })));

      expect(await contentsOf(tested, organizationId, 'deploys reviewer zebra')).toEqual([
        'deploys need a reviewer',
        'deploys fail',
        'deploys run on Fridays',
      ]);
    });

    test('ignores case, accents and word endings', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'The CAFÉ was deploying Großes' });

      for (const text of ['cafe', 'Café', 'cafe\u0301', 'deploy', 'deployed', 'grosses großes']) {
        expect(await contentsOf(tested, organizationId, text)).toHaveLength(1);
      }
    });

    test.each(['"', '*', 'NEAR', '-', ':', '""', 'terms:x', 'a AND', '(', 'OR', '^', '', ' \t', '…', '%', "'; --"])(
      'treats %j as plain text',
      async (text) => {
        const tested = await openEmpty();
        const organizationId = await anOrganization(tested);
        await store(tested, organizationId, { content: 'nothing of the kind' });

        expect(await contentsOf(tested, organizationId, text)).toEqual([]);
      },
    );

    test('treats operators of the query syntax as plain words', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'far and near, this or that, not those' }, { content: 'else' });

      for (const text of ['NEAR', 'x AND', '"or', 'not*', 'near(']) {
        expect(await contentsOf(tested, organizationId, text)).toHaveLength(1);
      }
    });

    test('keeps organizations apart, in matches and in word weights', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      await store(tested, own, { content: 'alpha beta' }, { content: 'alpha gamma' });
      const before = await tested.memories.matching(own, { ...ACTIVE, text: 'alpha beta', limit: 9 });

      await store(tested, other, ...Array.from({ length: 20 }, (_, n) => ({ content: `beta beta secret ${n}` })));

      expect(await tested.memories.matching(own, { ...ACTIVE, text: 'alpha beta', limit: 9 })).toEqual(before);
      expect(await contentsOf(tested, own, 'secret')).toEqual([]);
    });

    test('filters before it selects the best matches', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const many = Array.from({ length: 60 }, (_, n) => ({ content: `zebra zebra ${n}` }));
      const few = Array.from({ length: 6 }, (_, n) => ({
        content: `one zebra of ${n} words`,
        metadata: { kind: 'few' },
      }));
      await store(tested, organizationId, ...many, ...few);

      const filter = { metadata: [{ key: 'kind', anyOf: ['few'] }] };
      const { matches: found } = await tested.memories.matching(organizationId, {
        filter,
        includeDeleted: false,
        text: 'zebra',
        limit: 10,
      });

      expect(found).toHaveLength(6);
      expect(found.every(({ memory }) => memory.metadata.kind === 'few')).toBe(true);
    });

    test('returns at most the limit, each with a score above 0, best first', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(
        tested,
        organizationId,
        ...Array.from({ length: 9 }, (_, n) => ({ content: `same${' same'.repeat(n)}` })),
      );

      const { matches: found } = await tested.memories.matching(organizationId, { ...ACTIVE, text: 'same', limit: 4 });

      const relevances = found.map(({ relevance }) => relevance);
      expect(found).toHaveLength(4);
      expect(relevances).toEqual([...relevances].sort((a, b) => b - a));
      expect(Math.min(...relevances)).toBeGreaterThan(0);
    });

    test.each([
      ['上海办公室在静安区南京西路，电梯需要刷卡。', '南京西路'],
      ['佐藤さんは黒い猫を二匹飼っています。', '黒い猫'],
      ['佐藤さんは黒い猫を二匹飼っています。', '猫'],
      ['東京タワーへ行く', 'タワー'],
      ['서울 사무실 주차장은 지하 이층에 있습니다.', '주차장'],
      ['คุณสมชายแพ้อาหารทะเล', 'อาหารทะเล'],
      ['deployed 🚀🚀 at noon', '🚀'],
      ['the office in 🇫🇷', '🇫🇷'],
    ])('finds in %j, which has no spaces between words, %j', async (content, text) => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content }, { content: '大阪 부산 🐌 🇩🇪 เชียงใหม่' });

      expect(await contentsOf(tested, organizationId, text)).toEqual([content]);
    });

    test('replaces the words that find a memory', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { content: 'alpha beta' }, { content: 'beta' });
      const before = await tested.memories.findById(organizationId, memory!.id);

      await tested.transact(organizationId, (unit) => unit.replaceTerms(memory!.id, ['gamma', 'gamma', 'delta']));

      expect(await contentsOf(tested, organizationId, 'alpha')).toEqual([]);
      expect(await contentsOf(tested, organizationId, 'gamma')).toEqual(['alpha beta']);
      expect(await tested.memories.findById(organizationId, memory!.id)).toEqual(before);
    });

    test('leaves out stop words, unless no memory has another word', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'where was it' }, { content: 'the harbour' });

      expect(await contentsOf(tested, organizationId, 'where is the harbour')).toEqual(['the harbour']);
      expect(await contentsOf(tested, organizationId, 'where is the zebra')).toHaveLength(2);
    });

    test('bounds relevance, with a higher bound if the query has words that no memory has', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'alpha '.repeat(200) }, { content: 'beta' });
      const matching = (text: string) => tested.memories.matching(organizationId, { ...ACTIVE, text, limit: 9 });

      const known = await matching('alpha');
      const unknown = await matching('alpha zebra');

      expect(known.matches[0]!.relevance).toBeLessThan(known.most);
      expect(known.matches[0]!.relevance).toBeGreaterThan(0.9 * known.most);
      expect(unknown.matches[0]!.relevance).toBeCloseTo(known.matches[0]!.relevance, 9);
      expect(unknown.most).toBeGreaterThan(2 * known.most);
    });

    test('searches for the 64 rarest words of a query, and reports that it left out others', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      // Word n is in the contents 0 to n, so the first words are the rarest.
      const words = Array.from({ length: 70 }, (_, n) => `word${n}`);
      const stored = await store(
        tested,
        organizationId,
        ...words.map((_, n) => ({ content: words.slice(n).join(' ') })),
      );
      const matching = (asked: readonly string[]) =>
        tested.memories.matching(organizationId, { ...ACTIVE, text: ['unknown', ...asked].join(' '), limit: 100 });

      const within = await matching(words.slice(0, 64));
      const beyond = await matching(words.toReversed());

      expect(within.wordsLeftOut).toBe(false);
      expect(new Set(within.matches.map(({ memory }) => memory.id))).toEqual(
        new Set(stored.slice(0, 64).map(({ id }) => id)),
      );
      expect(beyond.wordsLeftOut).toBe(true);
      expect(beyond.matches.map(({ memory }) => memory)).toEqual(within.matches.map(({ memory }) => memory));
    });

    test('considers only the 256 longest words of a longer query', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'tiny' }, { content: 'considerable' });
      const unknown = Array.from({ length: 255 }, (_, n) => `unknown${n}`);
      const matching = (text: string) => tested.memories.matching(organizationId, { ...ACTIVE, text, limit: 9 });

      const within = await matching(['tiny', ...unknown].join(' '));
      const beyond = await matching(['tiny', ...unknown, 'considerable'].join(' '));

      expect(within).toMatchObject({ matches: [{ memory: { content: 'tiny' } }], wordsLeftOut: false });
      expect(beyond).toMatchObject({ matches: [{ memory: { content: 'considerable' } }], wordsLeftOut: true });
      expect(beyond.matches).toHaveLength(1);
    });

    test('returns the similarity of each match to a vector, also of deleted ones', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = [0.5, 1, -0.5].map((cosine, n) => ({ content: `word ${n}`, embedding: atCosine(cosine) }));
      const [, same] = await store(tested, organizationId, ...given);
      await softDelete(tested, same!);
      const query = { filter: NO_FILTER, includeDeleted: true, text: 'word', limit: 9 };

      const compared = await tested.memories.matching(organizationId, { ...query, comparedTo: { vector: NORTH } });
      const plain = await tested.memories.matching(organizationId, query);

      const similarities = new Map(compared.matches.map(({ memory, similarity }) => [memory.content, similarity]));
      for (const [n, similarity] of [0.5, 1, 0].entries())
        expect(similarities.get(`word ${n}`)).toBeCloseTo(similarity, 6);
      expect(plain.matches.map(({ similarity }) => similarity)).toEqual([undefined, undefined, undefined]);
    });

    test('keeps the best matches by a score, and those that are equal to the last of them', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const given = Array.from({ length: 60 }, (_, n) => ({
        content: `word ${'again '.repeat(n % 7)} number ${n}`,
        embedding: atCosine(((n * 37) % 31) / 30, 1 + (n % 3)),
      }));
      const [, deleted] = await store(tested, organizationId, ...given);
      await softDelete(tested, deleted!);
      const queries = [false, true].flatMap((includeDeleted) => {
        const query = { filter: NO_FILTER, includeDeleted, text: 'word again', limit: 40 };
        return [query, { ...query, comparedTo: { vector: NORTH } }];
      });

      for (const query of queries) {
        const { matches, most } = await tested.memories.matching(organizationId, query);
        for (const kept of KEPT) {
          const found = await tested.memories.matching(organizationId, { ...query, kept });
          expect(found).toEqual({ matches: bestOf(matches, most, kept), most, wordsLeftOut: false });
        }
      }
    });

    test('follows changes of content, and deletion', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, { content: 'first words' });

      const changed = await change(tested, memory!, { content: 'second thoughts' }, NORTH);
      expect(await contentsOf(tested, organizationId, 'words')).toEqual([]);
      expect(await contentsOf(tested, organizationId, 'thoughts')).toEqual(['second thoughts']);
      await softDelete(tested, changed);
      expect(await contentsOf(tested, organizationId, 'thoughts')).toEqual([]);
      expect(await contentsOf(tested, organizationId, 'thoughts', true)).toEqual(['second thoughts']);
    });
  });
}

async function contentsOf(
  tested: Store,
  organizationId: string,
  text: string,
  includeDeleted = false,
): Promise<string[]> {
  const { matches: found } = await tested.memories.matching(organizationId, {
    filter: NO_FILTER,
    includeDeleted,
    text,
    limit: 50,
  });
  return found.map(({ memory }) => memory.content);
}

/** Returns the matches that a query keeps, in the given order. */
function bestOf(matches: readonly KeywordMatch[], most: number, { limit, scoreOf }: KeptMatches): KeywordMatch[] {
  const scores = matches.map(({ memory: { createdAt }, relevance, similarity = 0 }) =>
    scoreOf({ createdAt, relevance, similarity }, most),
  );
  const sorted = scores.filter((score) => score !== undefined).sort((one, other) => other - one);
  const lowest = sorted[limit - 1] ?? Number.NEGATIVE_INFINITY;
  return matches.filter((_, at) => (scores[at] ?? Number.NaN) >= lowest);
}
