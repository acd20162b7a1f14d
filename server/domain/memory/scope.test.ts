import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import { NO_SCOPE } from './memory.js';
import { parseExternalKey, parseScope } from './scope.js';

describe('parseScope', () => {
  test('returns empty strings for absent fields', () => {
    expect(parseScope(undefined)).toEqual(NO_SCOPE);
    expect(parseScope({})).toEqual(NO_SCOPE);
    expect(parseScope({ source: 'wiki' })).toEqual({ source: 'wiki', project: '' });
  });

  test('returns the same scope for composed and decomposed characters', () => {
    expect(parseScope({ project: 'cafe\u0301' })).toEqual(parseScope({ project: 'caf\u00e9' }));
  });

  test.each([
    ['an empty field', { source: '' }, 'scope.source'],
    ['a field of 257 characters', { project: 'x'.repeat(257) }, 'scope.project'],
    ['U+0000', { project: '\0' }, 'scope.project'],
  ])('rejects %s', (_, scope, path) => {
    expect(() => parseScope(scope)).toThrow(refusedAt(path));
  });

  test('accepts fields of 256 characters', () => {
    expect(parseScope({ source: '😀'.repeat(256) }).source).toHaveLength(512);
  });
});

describe('parseExternalKey', () => {
  test('accepts 1 to 512 characters, and returns them in NFC', () => {
    expect(parseExternalKey('e\u0301'.repeat(512))).toBe('é'.repeat(512));
    expect(() => parseExternalKey('')).toThrow(refusedAt('externalKey'));
    expect(() => parseExternalKey('x'.repeat(513))).toThrow(refusedAt('externalKey'));
    expect(() => parseExternalKey('a\ud800')).toThrow(refusedAt('externalKey'));
  });
});
