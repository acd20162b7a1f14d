import { hashContent } from './content.js';
import { BREAK, foldCase, splitTokens } from './fold.js';
import { joinPerToken } from './per-token.js';
import { canonical, expand, isSurname } from './spellings.js';

/** A word as it is compared with others. */
export interface Word {
  text: string;
  isCapitalized: boolean;
  /** The indefinite article before it. "A pen" and "some pen" are the same, "pens" and "some pens" are not. */
  article?: 'a' | 'some';
}

/**
 * A hash that contents have in common when they fold alike or state the same
 * fact (see `compareFacts`), and few others: what near-duplicates are looked up by.
 *
 * It is of the words run together, so that "3 pm" is "3pm", without function
 * words and without the endings in which singular and plural differ. Whoever
 * looks something up by it compares the contents, so it need not be a long one.
 *
 * @param split `splitTokens` of the content, where they are known
 */
export function hashWords(content: string, split: readonly string[] = splitTokens(content)): string {
  return hashContent(`2 ${joinPerToken(split, stemsOf)}`).slice(0, HASH_DIGITS);
}

function stemsOf(token: string): string {
  const words = expand(token.toLowerCase())
    .map(canonical)
    .filter((word) => !LEFT_OUT.has(word));
  return words.map((word) => (COMMON_WORD.test(word) ? withoutEnding(word) : word)).join('');
}

const HASH_DIGITS = 16;
/** Every word that `readWords` may leave out. */
const LEFT_OUT = new Set(
  `${BREAK} a an the some on at that of please also el am - * • ‣ ◦ ▪ · got in order`.split(' '),
);
const COMMON_WORD = /^[a-z]{3,}$/;
/** Letters at the end in which "fly" and "flies", "bus" and "buses", "use" and "uses" differ. */
const ENDING = 'eisy';

function withoutEnding(word: string): string {
  let end = word.length;
  while (end > 0 && ENDING.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

/**
 * The words of a content, without what changes no fact.
 *
 * @param split `splitTokens` of it, where they are known
 */
export function readWords(content: string, split: readonly string[] = splitTokens(content)): Word[] {
  const tokens = split.flatMap(expand);
  const folded = tokens.map((token, index) => readWord(token, tokens[index - 1]));
  const words: Word[] = [];
  let article: Word['article'];
  for (const [index, text] of folded.entries()) {
    if (isArticle(text, tokens, index)) {
      if (text !== 'the') article = text === 'some' ? 'some' : 'a';
      continue;
    }
    if (changesNothing(folded, index)) continue;
    words.push({ text, isCapitalized: /^\p{Lu}/u.test(tokens[index] as string), ...(article && { article }) });
    article = undefined;
  }
  return joinUnits(words);
}

function readWord(token: string, previous: string | undefined): string {
  const text = foldCase(token, previous);
  return isWithin(previous) && isSurname(token) ? text : canonical(text);
}

const LETTER = /\p{L}/u;

/** Whether a word stands before another in its sentence, so that a capital letter is that of a name. */
function isWithin(previous: string | undefined): boolean {
  return previous !== undefined && LETTER.test(previous);
}

/** "Plan A" and "option a" end in no article, and "The Band" does not begin with one within a sentence. */
function isArticle(text: string, tokens: readonly string[], index: number): boolean {
  const next = tokens[index + 1];
  if (next === undefined || next === BREAK) return false;
  if (text === 'the') return tokens[index] !== 'The' || !isWithin(tokens[index - 1]);
  if (text === 'some') return /^\p{Ll}/u.test(next);
  return (text === 'a' || text === 'an') && (index === 0 || tokens[index] === text);
}

const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;
const TIME = /^(?:\d{1,2}(?::\d\d)?[ap]m|\d{1,2}:\d\d|noon|midnight)$/;
const GERMAN_WEEKDAY = /^(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)$/;
const SPANISH_WEEKDAY = /^(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)$/;
const SAYING = /^(?:think|thinks|thought|know|knows|knew|say|says|said|believe|believes|hope|hopes|hoped|confirmed)$/;
const BULLET = /^[-*•‣◦▪·]$/;

/** Function words, by what stands beside them: alone, none of these is left out everywhere. */
function changesNothing(words: readonly string[], index: number): boolean {
  const [previous = '', text, next = ''] = [words[index - 1], words[index], words[index + 1]];
  switch (text) {
    case 'on':
      return BE.test(previous) && WEEKDAY.test(next);
    case 'at':
      return (
        !BE.test(previous) && TIME.test(/^[ap]m$/.test(words[index + 2] ?? '') ? `${next}${words[index + 2]}` : next)
      );
    case 'am':
      return GERMAN_WEEKDAY.test(next);
    case 'el':
      return SPANISH_WEEKDAY.test(next);
    case 'that':
      return SAYING.test(previous) && next !== BREAK && /^(?:the|he|she|it|we|they|i|you)$/.test(next);
    case 'of':
      return /^(?:all|both)$/.test(previous) && /^(?:the|these|those|my|our|your|his|her|their)$/.test(next);
    case 'also':
      return index > 0 && next !== '' && next !== BREAK && previous !== BREAK && !/^not$/.test(previous);
    case 'please':
      return index === 0 && next !== '' && next !== BREAK;
    case 'got':
      return /^(?:have|has)$/.test(previous) && /^(?:a|an|the|\d+)$/.test(next);
    case 'in':
      return next === 'order' && words[index + 2] === 'to';
    case 'order':
      return previous === 'in' && next === 'to';
    default:
      return index === 0 && text !== undefined && BULLET.test(text) && /^\p{L}{2}/u.test(next);
  }
}

const BE = /^(?:is|are|was|were)$/;

const NUMBER = /^[-+]?\d+(?:[.,:]\d+)*$/;
const UNIT = /^(?:am|pm|%|n?s|ms|min|h|[kmgt]?b|[mk]?g|[kcm]?m|[kmg]?w|[kmg]?hz)$/i;

/** "3 pm" and "3pm". */
function joinUnits(words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last && NUMBER.test(last.text) && UNIT.test(word.text)) last.text = foldCase(last.text + word.text);
    else joined.push({ ...word });
  }
  return joined;
}
