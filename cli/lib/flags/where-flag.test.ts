import { describe, expect, test } from 'vitest';
import { joinWhere, parseWhere } from './where-flag.js';

const NOW = Date.parse('2026-05-10T12:00:00Z');

describe('parseWhere', () => {
  test.each([
    ['priority=3', { priority: { eq: 3 } }],
    ['kind = note', { kind: { eq: 'note' } }],
    ['kind="3"', { kind: { eq: '3' } }],
    ['done!=true', { done: { ne: true } }],
    ['owner!=null', { owner: { ne: null } }],
    ['size>1.5', { size: { gt: 1.5 } }],
    ['size >= 3', { size: { gte: 3 } }],
    ['due<2026-05-01', { due: { lt: '2026-05-01' } }],
    ['due<=a<b', { due: { lte: 'a<b' } }],
    ['list=[1]', { list: { eq: '[1]' } }],
    ['empty=', { empty: { eq: '' } }],
    ['sign="=a"', { sign: { eq: '=a' } }],
    ['kind in note, page,3', { kind: { in: ['note', 'page', 3] } }],
    ['kind !in note', { kind: { nin: ['note'] } }],
    ['owner exists', { owner: { exists: true } }],
    ['two words !exists', { 'two words': { exists: false } }],
    ['title=it exists', { title: { eq: 'it exists' } }],
    ['createdAt>=2d', { createdAt: { gte: '2026-05-08T12:00:00.000Z' } }],
    ['updatedAt<2026-05-01', { updatedAt: { lt: '2026-05-01' } }],
  ])('reads %s', (text, where) => {
    expect(parseWhere([text], NOW)).toEqual(where);
  });

  test('joins the comparisons of a key', () => {
    expect(parseWhere(['n>=1', 'n<5', 'kind=a'])).toEqual({ n: { gte: 1, lt: 5 }, kind: { eq: 'a' } });
    expect(joinWhere({ n: { gt: 1 } }, { n: { lt: 2 } })).toEqual({ n: { gt: 1, lt: 2 } });
  });

  test.each([[['priority']], [['>=3']], [['exists']], [['in a,b']], [['n>>1']], [['kind==a']], [['n>1', 'n>2']]])(
    'rejects %j',
    (values) => {
      expect(() => parseWhere(values)).toThrow(/must be like|twice/);
    },
  );
});
