import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CharacterForms } from './character-forms.js';

/** Forms of every length, in the order of the letters. */
const FORMS: Readonly<Record<string, string>> = { a: 'x', b: '', c: 'yz', d: 'a whole phrase', '😀': 'smile' };

test('joins the forms of runs of characters, up to the maximum length', () => {
  const run = fc.tuple(fc.constantFrom(...Object.keys(FORMS), 'e', '\u{1d400}'), fc.integer({ min: 1, max: 30 }));
  fc.assert(
    fc.property(fc.array(run, { maxLength: 10 }), fc.option(fc.nat(200)), (runs, bound) => {
      const text = runs.map(([character, times]) => character.repeat(times)).join('');
      const maxLength = bound ?? Number.POSITIVE_INFINITY;

      const form = new CharacterForms((character) => FORMS[character] ?? character).of(text, maxLength);

      const whole = Array.from(text, (character) => FORMS[character] ?? character).join('');
      expect(form).toBe(whole.slice(0, maxLength));
    }),
  );
});
