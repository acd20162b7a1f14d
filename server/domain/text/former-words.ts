import { hashContent } from './content.js';
import { splitTokens } from './fold.js';
import { perToken } from './per-token.js';
import { BREAK } from './separate-words.js';

/**
 * Returns the hash by which memories of earlier releases are found. It must never change, because stored memories keep
 * it until their content changes.
 *
 * @param split `splitTokens` of the content, if known
 */
export function hashFormerWords(content: string, split: readonly string[] = splitTokens(content)): string {
  return hashContent(joinStems(split)).slice(0, HASH_DIGITS);
}

const joinStems = perToken(stemsOf);

function stemsOf(token: string): string {
  if (token === BREAK) return '';
  const words = expand(token.toLowerCase())
    .map(canonical)
    .filter((word) => !ARTICLES.has(word));
  return words.map((word) => (COMMON_WORD.test(word) ? withoutEnding(word) : word)).join('');
}

const HASH_DIGITS = 16;
const ARTICLES = new Set(['a', 'an', 'the']);
const COMMON_WORD = /^[a-z]{3,}$/;
/** Final letters by which "fly" and "flies", "bus" and "buses", "use" and "uses" differ. */
const ENDING = 'eisy';

function withoutEnding(word: string): string {
  let end = word.length;
  while (end > 0 && ENDING.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

const CONTRACTED_NOT = /^(do|does|did|is|are|was|were|has|have|had|would|could|should|must)n't$/i;
const CONTRACTED = /^(\p{L}+)('re|'ve|'ll|'m)$/iu;
const WITH_IS = /^(it|he|she|that|there|here|what|who|where)'s$/i;
const IRREGULAR = new Map([
  ["can't", ['can', 'not']],
  ['cannot', ['can', 'not']],
  ["won't", ['will', 'not']],
  ["shan't", ['shall', 'not']],
]);
const ENDINGS = new Map([
  ["'re", 'are'],
  ["'ve", 'have'],
  ["'ll", 'will'],
  ["'m", 'am'],
]);

function expand(token: string): string[] {
  const irregular = IRREGULAR.get(token.toLowerCase());
  if (irregular) return irregular;
  if (!token.includes("'")) return [token];
  const verb = CONTRACTED_NOT.exec(token)?.[1];
  if (verb !== undefined) return [verb, 'not'];
  const subject = WITH_IS.exec(token)?.[1];
  if (subject !== undefined) return [subject, 'is'];
  const [, stem, ending = ''] = CONTRACTED.exec(token) ?? [];
  const word = ENDINGS.get(ending.toLowerCase());
  return stem === undefined || word === undefined ? [token] : [stem, word];
}

const SPELLINGS = new Map(
  Object.entries({
    behaviour: 'behavior',
    cancelled: 'canceled',
    centre: 'center',
    colour: 'color',
    colours: 'colors',
    'e-mail': 'email',
    'e-mails': 'emails',
    favourite: 'favorite',
    grey: 'gray',
    okay: 'ok',
    organisation: 'organization',
    percent: '%',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    nine: '9',
    ten: '10',
    eleven: '11',
    twelve: '12',
  }),
);

function canonical(text: string): string {
  return SPELLINGS.get(text) ?? text;
}
