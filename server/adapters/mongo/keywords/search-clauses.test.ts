import { describe, expect, test } from 'vitest';
import { NO_FILTER, parseFilter } from '../../../domain/filter/filter.js';
import { mostOf } from '../../../domain/retrieval/ranking.js';
import { searchByTerms } from './search-clauses.js';
import { wordsIndexDefinition } from './words-index.js';

const SETTLED_BEFORE = new Date('2026-01-01');
const TERMS = [
  { term: 'rare', rarity: 3 },
  { term: 'often', rarity: 0.5 },
];
const OWN = [{ equals: { path: 'org', value: 'o' } }, { range: { path: 'indexedAt', lt: SETTLED_BEFORE } }];
const ACTIVE = { equals: { path: 'live', value: true } };

describe('a search by terms', () => {
  test('scores a memory by the most that each of its terms can add to a relevance', () => {
    const scope = { filter: NO_FILTER, includeDeleted: false };

    expect(searchByTerms('o', scope, { terms: TERMS, settledBefore: SETTLED_BEFORE })).toEqual({
      index: 'memories_words',
      compound: {
        filter: [...OWN, ACTIVE],
        should: [
          { text: { path: 'terms', query: 'rare', score: { constant: { value: mostOf(3) } } } },
          { text: { path: 'terms', query: 'often', score: { constant: { value: mostOf(0.5) } } } },
        ],
        minimumShouldMatch: 1,
      },
    });
  });

  test('has the conditions that the index can check, and leaves out the others', () => {
    const where = {
      kind: { nin: ['a', 'b'] },
      size: { gte: 3 },
      odd: { exists: true },
      createdAt: { gte: '2026-01-01', ne: '2026-02-02' },
      updatedAt: { gte: '2026-01-01' },
    };
    const filter = parseFilter({ match: { team: 'x' }, where }, {}, 'json');
    const scope = { filter, includeDeleted: true, outside: [{ documentId: 'd', subjectKey: 's' }] };

    const { compound } = searchByTerms('o', scope, { terms: TERMS, settledBefore: SETTLED_BEFORE });

    expect(compound.filter).toEqual([
      ...OWN,
      { in: { path: 'facets', value: ['"team":"x"'] } },
      { range: { path: 'createdAt', gte: 1_767_225_600_000_000 } },
    ]);
    expect(compound.mustNot).toEqual([
      { in: { path: 'facets', value: ['"kind":"a"', '"kind":"b"'] } },
      { in: { path: 'createdAt', value: [1_769_990_400_000_000] } },
      {
        compound: {
          filter: [
            { equals: { path: 'subject', value: 's:s' } },
            { in: { path: 'facets', value: ['"documentId":"d"'] } },
          ],
        },
      },
    ]);
  });
});

test('the search index has only the fields that searches use, and words as they are stored', () => {
  const { mappings } = wordsIndexDefinition();

  expect(mappings.dynamic).toBe(false);
  expect(
    Object.fromEntries(
      Object.entries(mappings.fields).map(([path, field]) => [path, (field as { type: string }).type]),
    ),
  ).toEqual({
    org: 'token',
    live: 'boolean',
    subject: 'token',
    facets: 'token',
    createdAt: 'number',
    indexedAt: 'date',
    terms: 'string',
  });
  expect(mappings.fields.terms).toMatchObject({ analyzer: 'lucene.keyword', searchAnalyzer: 'lucene.keyword' });
});
