import { hashContent } from './content.js';
import { foldCase, splitTokens } from './fold.js';
import { perToken } from './per-token.js';
import { BREAK } from './separate-words.js';
import { canonical, expand, isSurname } from './spellings.js';

/** A word in the form in which words are compared. */
export interface Word {
  text: string;
  isCapitalized: boolean;
  /** Indefinite article before it. "A pen" and "some pen" mean the same, "pens" and "some pens" do not. */
  article?: 'a' | 'some';
}

/** Version of `hashWords`. Memories of version 1 have the hash of `hashFormerWords`. */
export const WORDS_VERSION = 2;

/**
 * Returns a hash by which near-duplicates are found. It is equal for contents with equal `foldContent`, for contents
 * that `compareFacts` treats as the same, and for few others.
 *
 * It covers the joined words, so that "3 pm" equals "3pm", without function words and plural endings. It may be short,
 * because the contents found by it are compared.
 *
 * @param split `splitTokens` of the content, if known
 */
export function hashWords(content: string, split: readonly string[] = splitTokens(content)): string {
  return hashContent(`${WORDS_VERSION} ${joinStems(split)}`).slice(0, HASH_DIGITS);
}

const joinStems = perToken(stemsOf);

function stemsOf(token: string): string {
  const words = expand(token.toLowerCase())
    .map(canonical)
    .filter((word) => !LEFT_OUT.has(word));
  return words.map((word) => (COMMON_WORD.test(word) ? withoutEnding(word) : word)).join('');
}

const HASH_DIGITS = 16;
/** All words that `readWords` may omit. */
const LEFT_OUT = new Set(
  `${BREAK} a an the some on at that of please also el am - * • ‣ ◦ ▪ · got in order`.split(' '),
);
const COMMON_WORD = /^[a-z]{3,}$/;
/** Final letters by which "fly" and "flies", "bus" and "buses", "use" and "uses" differ. */
const ENDING = 'eisy';

function withoutEnding(word: string): string {
  let end = word.length;
  while (end > 0 && ENDING.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

/**
 * Returns the words of a content, without those that do not change its meaning.
 *
 * @param split `splitTokens` of the content, if known
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

/** Reports if a word is not the first of its sentence. Its capital letter then marks a name. */
function isWithin(previous: string | undefined): boolean {
  return previous !== undefined && LETTER.test(previous);
}

/** Reports if a word is an article. It is not in "plan A", "option a", and "The Band" within a sentence. */
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

/** Reports if a function word can be omitted, which depends on the words next to it. */
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

/** Joins a number and its unit: "3 pm" becomes "3pm". */
function joinUnits(words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last && NUMBER.test(last.text) && UNIT.test(word.text)) last.text = foldCase(last.text + word.text);
    else joined.push({ ...word });
  }
  return joined;
}
