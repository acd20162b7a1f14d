import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import { isEmptyFilter, NO_FILTER, parseFilter, type WireFilter } from './filter.js';

const json = (wire: unknown) => parseFilter(wire as WireFilter, {}, 'json');
const brackets = (wire: unknown) => parseFilter(wire as WireFilter, {}, 'brackets');

describe('parseFilter', () => {
  test('matches everything if there is no filter', () => {
    expect(parseFilter(undefined, {}, 'json')).toBe(NO_FILTER);
    expect(isEmptyFilter(json({}))).toBe(true);
    expect(isEmptyFilter(json({ match: {} }))).toBe(true);
  });

  test.each(['agentId', 'source', 'surface', 'project', 'kind', 'documentId'])(
    'compares the metadata key %s',
    (key) => {
      const filter = json({ [key]: 'x' });

      expect(filter).toEqual({ metadata: [{ key, anyOf: ['x'] }] });
      expect(isEmptyFilter(filter)).toBe(false);
    },
  );

  test('compares any metadata key of match by value and type', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string().filter((text) => !text.includes('\0')),
          fc.integer(),
          fc.boolean(),
          fc.constant(null),
        ),
        (value) => {
          expect(json({ match: { team: value } })).toEqual({ metadata: [{ key: 'team', anyOf: [value] }] });
        },
      ),
    );
  });

  test('compares match.externalKey with the field of that name, in NFC', () => {
    const filter = json({ match: { externalKey: 'cafe\u0301' } });

    expect(filter).toEqual({ externalKey: 'caf\u00e9', metadata: [] });
    expect(isEmptyFilter(filter)).toBe(false);
    expect(() => json({ match: { externalKey: 7 } })).toThrow(refusedAt('filter.match.externalKey'));
    expect(() => json({ match: { externalKey: '' } })).toThrow(refusedAt('filter.match.externalKey'));
  });

  test('compares the subject key in the type of the organization', () => {
    const filter = parseFilter({ subjectKey: 7 }, { subjectKeyType: 'integer' }, 'json');

    expect(filter).toEqual({ subjectKey: 7, metadata: [] });
    expect(isEmptyFilter(filter)).toBe(false);
    expect(parseFilter({ subjectKey: '7' }, { subjectKeyType: 'integer' }, 'brackets').subjectKey).toBe(7);
    expect(parseFilter({ subjectKey: '7' }, { subjectKeyType: 'string' }, 'brackets').subjectKey).toBe('7');
  });

  test.each([
    ['of another type', '7', 'integer', 'json'],
    ['not of digits', 'seven', 'integer', 'brackets'],
    ['before a type is configured', 7, undefined, 'json'],
    ['null', null, 'string', 'json'],
  ] as const)('rejects a subject key %s', (_, subjectKey, subjectKeyType, form) => {
    expect(() => parseFilter({ subjectKey }, subjectKeyType ? { subjectKeyType } : {}, form)).toThrow(
      refusedAt('filter.subjectKey', 'subject_key_invalid'),
    );
  });

  test('matches a text in brackets also with the number or boolean of the same JSON text', () => {
    const anyOf = (text: string) => brackets({ match: { key: text } }).metadata[0]?.anyOf;

    expect(anyOf('3')).toEqual(['3', 3]);
    expect(anyOf('-1.5')).toEqual(['-1.5', -1.5]);
    expect(anyOf('true')).toEqual(['true', true]);
    expect(anyOf('false')).toEqual(['false', false]);
    expect(brackets({ kind: '3' }).metadata).toEqual([{ key: 'kind', anyOf: ['3', 3] }]);
  });

  test.each([
    'null',
    '03',
    '3.0',
    ' 3',
    '',
    '1e3',
    'NaN',
    'Infinity',
    '-0',
    '9007199254740992',
    '9007199254740993',
    '1e400',
    'True',
  ])('matches %j in brackets only with the same string', (text) => {
    expect(brackets({ match: { key: text } }).metadata).toEqual([{ key: 'key', anyOf: [text] }]);
  });

  test.each(['9007199254740993', '-9007199254740992', '9007199254740993.0', '1e17', '1e400', '-1e400'])(
    'rejects the number %s, which metadata cannot contain',
    (number) => {
      const wire = JSON.parse(`{"match":{"n":${number}}}`) as WireFilter;

      expect(() => json(wire)).toThrow(refusedAt('filter.match.n'));
    },
  );

  test('requires both values of a key that is given twice', () => {
    expect(json({ kind: 'note', match: { kind: 'note' } }).metadata).toEqual([{ key: 'kind', anyOf: ['note'] }]);
    expect(json({ kind: 'note', match: { kind: 'task' } }).metadata).toEqual([{ key: 'kind', anyOf: [] }]);
    expect(json({ kind: '3', match: { kind: 3 } }).metadata).toEqual([{ key: 'kind', anyOf: [] }]);
    expect(isEmptyFilter(json({ kind: 'note', match: { kind: 'task' } }))).toBe(false);
  });

  test('accepts names of Object.prototype as plain keys', () => {
    const wire: unknown = JSON.parse('{"match": {"__proto__": "a", "constructor": "b"}}');

    expect(json(wire).metadata).toEqual([
      { key: '__proto__', anyOf: ['a'] },
      { key: 'constructor', anyOf: ['b'] },
    ]);
  });

  test('ignores keys whose value is undefined', () => {
    expect(json({ kind: undefined, match: undefined, subjectKey: undefined })).toEqual(NO_FILTER);
  });

  test.each([
    ['a list', [], 'filter'],
    ['null', null, 'filter'],
    ['a text', 'kind', 'filter'],
    ['an unknown key', { team: 'x' }, 'filter.team'],
    ['a key __proto__', JSON.parse('{"__proto__": {}}'), 'filter.__proto__'],
    ['a number for a kind', { kind: 3 }, 'filter.kind'],
    ['null for a kind', { kind: null }, 'filter.kind'],
    ['a list for match', { match: [] }, 'filter.match'],
    ['null for match', { match: null }, 'filter.match'],
    ['an object to match', { match: { a: {} } }, 'filter.match.a'],
    ['a list to match', { match: { a: [1] } }, 'filter.match.a'],
    ['an empty key to match', { match: { '': 1 } }, 'filter.match'],
    ['a key of 257 characters', { match: { ['k'.repeat(257)]: 1 } }, 'filter.match'],
    ['a key with U+0000', { match: { 'k\0': 1 } }, 'filter.match'],
    ['a value of 1,025 characters', { match: { a: 'v'.repeat(1025) } }, 'filter.match.a'],
    ['a value with half of a surrogate pair', { kind: '\ud800' }, 'filter.kind'],
  ])('rejects %s', (_, wire, path) => {
    expect(() => json(wire)).toThrow(refusedAt(path));
  });

  test('accepts at most 20 keys, including those of match', () => {
    const match = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

    expect(json({ kind: 'x', match: match(19) }).metadata).toHaveLength(20);
    expect(() => json({ kind: 'x', match: match(20) })).toThrow(refusedAt('filter'));
  });

  test('accepts keys of 256 and values of 1,024 characters', () => {
    const wire = { match: { ['😀'.repeat(256)]: '😀'.repeat(1024) } };

    expect(json(wire).metadata).toHaveLength(1);
  });

  test('rejects any other value with a 422', () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom('json' as const, 'brackets' as const), (wire, form) => {
        try {
          parseFilter(wire as WireFilter, { subjectKeyType: 'integer' }, form);
        } catch (error) {
          expect(error).toMatchObject({ status: 422 });
        }
      }),
    );
  });
});
