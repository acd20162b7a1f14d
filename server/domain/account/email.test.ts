import { describe, expect, test } from 'vitest';
import { refusedAt } from '../../testing/app/refused.js';
import { foldEmail, parseEmail } from './email.js';

describe('foldEmail', () => {
  test('folds addresses that differ only in case or in the Unicode form of a character', () => {
    expect(foldEmail('Ana.\u00d8rsted@Example.TEST')).toBe(foldEmail('ana.\u00f8rsted@example.test'));
    expect(foldEmail('caf\u00e9@example.test')).toBe(foldEmail('cafe\u0301@example.test'));
  });

  test('keeps similar addresses distinct', () => {
    expect(foldEmail('ana@example.test')).not.toBe(foldEmail('an\u00e0@example.test'));
    expect(foldEmail('a.na@example.test')).not.toBe(foldEmail('ana@example.test'));
  });
});

describe('parseEmail', () => {
  test.each(['a@b', 'ana+tag@example.test', "o'brien@example.test", '\u7528\u6237@example.test'])(
    'accepts %j',
    (text) => {
      expect(parseEmail(text, 'email')).toBe(text);
    },
  );

  test.each(['', 'ana', 'ana@', '@b', 'a b@c', 'a@b@c', 'a@b\n', 'a\u200b@b', `${'a'.repeat(250)}@b.cd`])(
    'rejects %j',
    (text) => {
      expect(() => parseEmail(text, 'email')).toThrow(refusedAt('email') as Error);
    },
  );
});
