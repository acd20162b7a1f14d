import { CharacterForms } from './character-forms.js';

const MARKS = /\p{M}+/gu;
const NOT_ASCII = /[^\0-\x7f]/;
const SIGMA = 'σ';

const STRIPPED = new CharacterForms(stripped);
const LOWERED = new CharacterForms((character) => stripped(character).toLowerCase());

/**
 * Returns the text in NFKD without combining marks. Compatibility forms become plain letters and digits.
 *
 * Takes linear time, because it reads each character alone. The result is the same as for the whole text: NFKD only
 * decomposes characters and sorts marks, and all marks are removed.
 *
 * @param maxLength maximum length of the result in UTF-16 code units; NFKD makes up to 18 of one
 */
export function stripMarks(text: string, maxLength: number): string {
  return NOT_ASCII.test(text) ? STRIPPED.of(text, maxLength) : text.slice(0, maxLength);
}

/** Returns the result of `stripMarks` in lower case. */
export function stripMarksAndCase(text: string, maxLength: number): string {
  if (!NOT_ASCII.test(text)) return text.slice(0, maxLength).toLowerCase();
  const lowered = LOWERED.of(text, maxLength);
  // The sigma is the one letter whose lower case depends on its neighbours. No letter without marks changes its length.
  return lowered.includes(SIGMA) ? stripMarks(text, maxLength).toLowerCase() : lowered;
}

function stripped(character: string): string {
  return character.normalize('NFKD').replace(MARKS, '');
}
