import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import { parseFilter } from './filter.js';
import { parseBracketFilter, parseJsonFilter } from './filter-query.js';

describe('parseBracketFilter', () => {
  test('parses both levels', () => {
    const wire = parseBracketFilter(
      new URLSearchParams('filter[kind]=note&filter[match][team]=x&filter[subjectKey]=7'),
    );

    expect({ ...wire }).toEqual({ kind: 'note', subjectKey: '7', match: { team: 'x' } });
  });

  test('parses every value, and every key of match without brackets', () => {
    const key = fc.string({ minLength: 1 }).filter((name) => !/[[\]]/.test(name));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, fc.string()), { selector: ([name]) => name, minLength: 1 }), (pairs) => {
        const wire = parseBracketFilter(pairs.map(([name, value]) => [`filter[match][${name}]`, value]));

        expect(Object.entries(wire.match ?? {}).sort()).toEqual(pairs.sort());
      }),
    );
  });

  test('accepts names of Object.prototype as plain keys', () => {
    const wire = parseBracketFilter([
      ['filter[match][__proto__]', 'a'],
      ['filter[match][constructor]', 'b'],
    ]);

    expect(Object.keys(wire.match ?? {})).toEqual(['__proto__', 'constructor']);
    expect(parseFilter(wire, {}, 'brackets').metadata).toHaveLength(2);
  });

  test('parses operators, and accepts names of Object.prototype', () => {
    const wire = parseBracketFilter(
      new URLSearchParams('filter[where][n][gte]=3&filter[where][n][lt]=9&filter[where][__proto__][exists]=true'),
    );

    expect(Object.keys(wire.where ?? {})).toEqual(['n', '__proto__']);
    expect({ ...wire.where?.n }).toEqual({ gte: '3', lt: '9' });
    expect(parseFilter(wire, {}, 'brackets').where).toEqual([
      { kind: 'range', key: 'n', above: { value: 3, inclusive: true }, below: { value: 9, inclusive: false } },
      { kind: 'exists', key: '__proto__', exists: true },
    ]);
  });

  test.each([
    'filter',
    'filter[where]',
    'filter[where][n]',
    'filter[where][n][gte][x]',
    'filter[where][][gte]',
    'filter[]',
    'filter[kind',
    'filter[kind]]',
    'filter[[kind]]',
    'filter[kind]x',
    'filter[kind][x]',
    'filter[match]',
    'filter[match][]',
    'filter[match][a][b]',
    'filter[match][a[b]]',
    'filter.kind',
    'xfilter[kind]',
  ])('rejects the parameter %s and names it', (name) => {
    expect(() => parseBracketFilter([[name, 'x']])).toThrow(refusedAt(name));
  });

  test('rejects a repeated parameter and names it', () => {
    const twice = (name: string): [string, string][] => [
      [name, 'x'],
      [name, 'x'],
    ];

    expect(() => parseBracketFilter(twice('filter[kind]'))).toThrow(refusedAt('filter[kind]'));
    expect(() => parseBracketFilter(twice('filter[match][a]'))).toThrow(refusedAt('filter[match][a]'));
    expect(() => parseBracketFilter(twice('filter[where][a][gt]'))).toThrow(refusedAt('filter[where][a][gt]'));
  });

  test('returns unknown keys, which parseFilter rejects', () => {
    const read = (name: string) => parseFilter(parseBracketFilter([[name, 'x']]), {}, 'brackets');

    expect(() => read('filter[team]')).toThrow(refusedAt('filter.team'));
    expect(() => read('filter[__proto__]')).toThrow(refusedAt('filter.__proto__'));
  });

  test('throws only a 422, whatever the parameters', () => {
    const fragment = fc.constantFrom('filter', '[', ']', 'kind', 'match', '__proto__', 'a', '.', '');
    const name = fc.oneof(
      fc.string(),
      fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (entries) => {
        try {
          parseFilter(parseBracketFilter(entries), { subjectKeyType: 'integer' }, 'brackets');
        } catch (error) {
          expect(error).toMatchObject({ name: 'UnprocessableError' });
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('shortens long names in the error', () => {
    const name = `filter[${'x'.repeat(10_000)}`;

    expect(() => parseBracketFilter([[name, 'x']])).toThrow(refusedAt(name.slice(0, 80)));
  });
});

describe('parseJsonFilter', () => {
  test('returns the value of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseJsonFilter(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test.each(['', '{', "{'kind':'note'}", 'kind', '{"kind":"note"}x'])('rejects %j', (text) => {
    expect(() => parseJsonFilter(text)).toThrow(refusedAt('filter'));
  });
});
