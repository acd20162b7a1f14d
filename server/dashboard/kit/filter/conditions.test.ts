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

test.each(['', '{', '[]', '"kind"', '{"kind":1}', '{"other":"x"}', '{"match":{"a":{}}}', '{"match":null}'])(
  'an address can not bring anything but a filter: %s',
  (text) => {
    expect(parseFilter(text)).toEqual({});
  },
);

test('a filter is said in words', () => {
  expect(filterWords({ kind: 'note', match: { done: false, owner: null } })).toBe(
    'kind = note, done = false, owner = null',
  );
});
