/** Membership of code units below 128 in a class. Other code units never belong to it. */
export type CharacterClass = Readonly<Uint8Array>;

const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';

export const DIGIT = classOf(DIGITS);
export const HEX = classOf(`${DIGITS}abcdefABCDEF`);
export const UPPER_ALPHANUMERIC = classOf(DIGITS + UPPER);
export const ALPHANUMERIC = classOf(DIGITS + UPPER + LOWER);
export const WORD = classOf(`${DIGITS}${UPPER}${LOWER}_`);
export const BASE64URL = classOf(`${DIGITS}${UPPER}${LOWER}_-`);
export const BASE64 = classOf(`${DIGITS}${UPPER}${LOWER}+/=`);
export const DOTTED = classOf(`${DIGITS}${UPPER}${LOWER}_-.`);

export function classOf(characters: string): CharacterClass {
  const members = new Uint8Array(128);
  for (const character of characters) members[character.charCodeAt(0)] = 1;
  return members;
}

/** Reports if there is a character at `at` that belongs to the class. */
export function isAt(text: string, at: number, members: CharacterClass): boolean {
  const unit = text.charCodeAt(at);
  // Beyond the text, the unit is NaN. As an index it would slow down every later lookup.
  return unit < members.length && members[unit] === 1;
}

/** Counts the characters from `at` that belong to the class, up to `most`. */
export function runLength(text: string, at: number, members: CharacterClass, most: number): number {
  let length = 0;
  while (length < most && isAt(text, at + length, members)) length += 1;
  return length;
}
