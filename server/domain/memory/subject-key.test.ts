import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import type { SubjectKeyType } from './memory.js';
import { coerceSubjectKey, parseSubjectKey } from './subject-key.js';

const REFUSED = refusedAt('subjectKey', 'subject_key_invalid');

describe('parseSubjectKey', () => {
  test('rejects every value until the type is set', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(() => parseSubjectKey(value, undefined)).toThrow(REFUSED);
      }),
    );
  });

  test('accepts every safe integer of an integer organization', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(parseSubjectKey(value, 'integer')).toBe(value);
      }),
    );
  });

  test('accepts 1.0 and -0 in JSON as integers', () => {
    expect(parseSubjectKey(JSON.parse('1.0'), 'integer')).toBe(1);
    expect(parseSubjectKey(JSON.parse('-0'), 'integer')).toBe(0);
  });

  test.each<[string, unknown, SubjectKeyType]>([
    ['digits in a string', '1', 'integer'],
    ['a fraction', 1.5, 'integer'],
    ['2^53', 2 ** 53, 'integer'],
    ['-2^53', -(2 ** 53), 'integer'],
    ['null', null, 'integer'],
    ['a boolean', true, 'integer'],
    ['a number', 1, 'string'],
    ['null', null, 'string'],
    ['an empty string', '', 'string'],
    ['513 characters', 'x'.repeat(513), 'string'],
    ['U+0000', 'a\0', 'string'],
    ['half of a surrogate pair', '\ud800', 'string'],
  ])('rejects %s (%j) for the type %s', (_, value, type) => {
    expect(() => parseSubjectKey(value, type)).toThrow(REFUSED);
  });

  test('names the type in the error', () => {
    expect(() => parseSubjectKey('1', 'integer')).toThrow('must be an integer');
    expect(() => parseSubjectKey(1, 'string')).toThrow('must be a string');
  });

  test('returns strings in NFC, of up to 512 code points', () => {
    expect(parseSubjectKey('e\u0301'.repeat(512), 'string')).toBe('é'.repeat(512));
  });
});

describe('coerceSubjectKey', () => {
  test('parses every integer for the type integer', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(coerceSubjectKey(String(value), 'integer')).toBe(value);
      }),
    );
  });

  test('returns digits as a string for the type string', () => {
    expect(coerceSubjectKey('42', 'string')).toBe('42');
  });

  test.each(['', ' 1', '1.0', '1e3', '0x1', '01', '+1', 'abc', '9007199254740992', '9'.repeat(400)])(
    'rejects %j for the type integer',
    (text) => {
      expect(() => coerceSubjectKey(text, 'integer')).toThrow(refusedAt('filter.subjectKey', 'subject_key_invalid'));
    },
  );

  test('rejects every text until the type is set', () => {
    expect(() => coerceSubjectKey('1', undefined)).toThrow(refusedAt('filter.subjectKey', 'subject_key_invalid'));
  });
});
