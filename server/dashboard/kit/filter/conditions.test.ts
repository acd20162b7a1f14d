import { expect, test } from 'vitest';
import { conditionsOf, filterOf, filterWords, parseFilter } from './conditions.js';

test('a filter is the same after editing without a change', () => {
  const filter = {
    kind: 'note',
    subjectKey: 7,
    match: { team: 'search', done: true, tries: 1, reviewedAt: null, __proto__x: 'text' },
  };

  expect(filterOf(conditionsOf(filter))).toEqual(filter);
});

test('incomplete conditions are no part of the filter', () => {
  const conditions = [
    { key: 'kind', type: 'text', value: '' },
    { key: '', type: 'text', value: 'note' },
    { key: 'tries', type: 'number', value: 'many' },
    { key: 'source', type: 'text', value: 'wiki' },
  ] as const;

  expect(filterOf(conditions)).toEqual({ source: 'wiki' });
});

test.each([
  '',
  '{',
  '[]',
  '"kind"',
  '{"kind":1}',
  '{"other":"x"}',
  '{"match":{"a":{}}}',
  '{"match":null}',
  '{"where":{"a":3}}',
])('an address can not bring anything but a filter: %s', (text) => {
  expect(parseFilter(text)).toEqual({});
});

test('a filter is said in words', () => {
  expect(filterWords({ kind: 'note', match: { done: false, owner: null } })).toBe(
    'kind = note, done = false, owner = null',
  );
});

test('comparisons are said in words, are no rows of the editor, and come from an address', () => {
  const filter = {
    kind: 'note',
    where: { priority: { gte: 3, ne: 5 }, team: { in: ['a', null] }, owner: { exists: false } },
  };

  expect(filterWords(filter)).toBe(
    'kind = note, priority ≥ 3 and priority ≠ 5, team in a or null, owner does not exist',
  );
  expect(conditionsOf(filter)).toEqual([{ key: 'kind', type: 'text', value: 'note' }]);
  expect(parseFilter(JSON.stringify(filter))).toEqual(filter);
});
