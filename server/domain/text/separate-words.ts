import { CodePointClass } from './code-point-class.js';
import { CodeUnits, endOfRun } from './code-units.js';

/** Token for a mark between two words. Its kind never changes the meaning, but its presence may. */
export const BREAK = ',';

const HAS_SHAPED = /[\u00ad\u200b\u2060\ufeff\u3001-\u3011\uff01-\uff1b]/;
/** The first of the characters below. */
const FIRST_SHAPED = 0xad;
const NUMBER = new CodePointClass(/\p{N}/u);

/**
 * Texts in the place of characters. These marks and brackets have no spaces around them, so they separate words.
 * Invisible characters separate nothing.
 */
const IN_PLACE = new Map<number, string>([
  ...membersOf('、。，．；：！', `${BREAK} `),
  ...membersOf('「」『』《》〈〉【】（）', ' '),
  ...membersOf('\u00ad\u200b\u2060\ufeff', ''),
]);

/** Returns the content with spaces between words that only marks separate, and without invisible characters. */
export function separateWords(content: string): string {
  if (!HAS_SHAPED.test(content)) return content;
  const separated = new CodeUnits(content.length);
  for (let at = 0; at < content.length; ) {
    const unit = content.charCodeAt(at);
    const other = unit < FIRST_SHAPED ? undefined : IN_PLACE.get(unit);
    if (other === undefined) {
      separated.add(unit);
      at += 1;
      continue;
    }
    const end = endOfRun(content, at, 1);
    addMark(separated, content, at, other);
    if (end - at > 1) {
      // Within a run of one mark, only the first and the last are next to something else.
      separated.addTimes(other, end - at - 2);
      addMark(separated, content, end - 1, other);
    }
    at = end;
  }
  return separated.toText();
}

function addMark(separated: CodeUnits, content: string, at: number, other: string): void {
  if (other !== '' && isInNumber(content, at)) separated.add(content.charCodeAt(at));
  else separated.addAll(other);
}

/** Reports if a mark is next to a digit, and so may belong to a number. */
function isInNumber(content: string, at: number): boolean {
  return isNumberBefore(content, at) || NUMBER.has(content.codePointAt(at + 1) ?? 0);
}

function isNumberBefore(content: string, at: number): boolean {
  const pair = content.codePointAt(at - 2) ?? 0;
  return NUMBER.has(pair > 0xffff ? pair : content.charCodeAt(at - 1) || 0);
}

function membersOf(characters: string, inPlace: string): [number, string][] {
  return Array.from(characters, (character) => [character.charCodeAt(0), inPlace]);
}
