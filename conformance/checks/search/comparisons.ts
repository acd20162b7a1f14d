import { expect } from 'vitest';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

type Where = Record<string, Record<string, unknown>>;

/** Values of the key `rank`. The last memory lacks it. */
const RANKS = [1, 3, 10, 'a', undefined] as const;

/** Operator, operand, and the positions in `RANKS` of what it matches. */
const OPERATORS = [
  ['eq', 3, [1]],
  ['ne', 3, [0, 2, 3, 4]],
  ['in', [1, 'a'], [0, 3]],
  ['nin', [1, 'a'], [1, 2, 4]],
  ['gt', 3, [2]],
  ['gte', 3, [1, 2]],
  ['lt', 3, [0]],
  ['lte', 3, [0, 1]],
  ['exists', false, [4]],
] as const;

/** Stores a memory for each rank, and returns their ids. */
async function ranked(target: Target, team: string, ranks: readonly unknown[]): Promise<string[]> {
  const items = ranks.map((rank) => target.fields({ metadata: rank === undefined ? { team } : { team, rank } }));
  return (await target.batch(items)).memories.map(({ id }) => id);
}

async function matching(target: Target, team: string, where: Where): Promise<string[]> {
  return (await target.read('recent', { filter: { match: { team }, where } })).ids.sort();
}

function byOperator([operator, operand, matched]: (typeof OPERATORS)[number]): Omit<Check, 'section'> {
  return {
    id: `filter-where-${operator}`,
    level: 'should',
    requirement: `where compares a metadata key by ${operator}; numbers are compared with numbers.`,
    async run(target) {
      const team = target.word();
      const ids = await ranked(target, team, RANKS);

      const found = await matching(target, team, { rank: { [operator]: operand } });

      expect(found).toEqual(matched.map((at) => ids[at]).sort());
    },
  };
}

/** The comparisons of a filter (2.3). */
export const comparisonChecks: readonly Check[] = [
  ...defineChecks('2.3', [
    ...OPERATORS.map(byOperator),
    {
      id: 'filter-where-strings',
      level: 'should',
      requirement: 'where compares strings with strings, by code point.',
      async run(target) {
        const team = target.word();
        const ids = await ranked(target, team, [7, 'B', 'a', 'b', '\u{fffd}', '\u{1f600}']);

        expect(await matching(target, team, { rank: { gt: 'a' } })).toEqual(ids.slice(3).sort());
        expect(await matching(target, team, { rank: { lte: 'a' } })).toEqual(ids.slice(1, 3).sort());
        expect(await matching(target, team, { rank: { gt: '\u{fffd}' } })).toEqual(ids.slice(5));
      },
    },
    {
      id: 'filter-where-all-must-hold',
      level: 'should',
      requirement: 'Every operator of a key must hold.',
      async run(target) {
        const team = target.word();
        const ids = await ranked(target, team, [1, 2, 3, 4]);

        expect(await matching(target, team, { rank: { gt: 1, lt: 4, ne: 2 } })).toEqual([ids[2]]);
      },
    },
    ...(['createdAt', 'updatedAt'] as const).map(
      (field): Omit<Check, 'section'> => ({
        id: `filter-where-${field === 'createdAt' ? 'created' : 'updated'}-at`,
        level: 'should',
        requirement: `where compares the time ${field} of the memory.`,
        async run(target) {
          const team = target.word();
          const { memories } = await target.batch([1, 2].map((rank) => target.fields({ metadata: { team, rank } })));
          const [first, second] = memories;

          expect(await matching(target, team, { [field]: { gt: first?.[field] } })).toEqual([second?.id]);
          expect(await matching(target, team, { [field]: { lte: first?.[field] } })).toEqual([first?.id]);
        },
      }),
    ),
    {
      id: 'filter-where-before-ranking',
      level: 'should',
      requirement: 'Comparisons are applied before the best matches are selected.',
      async run(target) {
        const team = target.word();
        const items = [1, 2, 3].map((rank) => target.fields({ metadata: { team, rank } }));
        const { memories } = await target.batch(items);

        const filter = { match: { team }, where: { rank: { gte: 3 } } };

        const found = await target.search({ query: items[0]?.content, limit: 1, filter });
        expect(found.ids).toEqual([memories[2]?.id]);
      },
    },
    {
      id: 'filter-where-invalid-422',
      level: 'should',
      requirement: 'An unknown operator and a bound without an order are rejected with 422.',
      async run(target) {
        for (const operators of [{ like: 'x' }, { gt: true }, { in: 'x' }, {}]) {
          expectRefusal(await target.search({ query: 'x', filter: { where: { rank: operators } } }), 422);
          expectRefusal(await target.read('recent', { filter: { where: { rank: operators } } }), 422);
        }
      },
    },
  ]),
  ...defineChecks('4.12', [
    {
      id: 'filter-query-brackets-where',
      level: 'should',
      requirement: 'In brackets, a bound that is a number is compared with numbers.',
      async run(target) {
        const team = target.word();
        const ids = await ranked(target, team, [1, 3, '3']);

        const query = { 'filter[match][team]': team, 'filter[where][rank][gte]': '2' };

        expect((await target.read('recent', query)).ids).toEqual([ids[1]]);
      },
    },
  ]),
];
