import { hashContent } from './content.js';
import { foldCase, splitTokens } from './fold.js';

/** A word as it is compared with others. */
export interface Word {
  text: string;
  isCapitalized: boolean;
}

/**
 * A hash that contents have in common when they fold alike or state the same
 * fact (see `sameFact`), and few others: what near-duplicates are looked up by.
 *
 * It is of the words run together, so that "3 pm" is "3pm", without articles
 * and without the endings in which singular and plural differ. Whoever looks
 * something up by it compares the contents, so it need not be a long one.
 *
 * @param split `splitTokens` of the content, where they are known
 */
export function hashWords(content: string, split: readonly string[] = splitTokens(content)): string {
  const words = split
    .flatMap((token) => expand(token.toLowerCase()))
    .map(canonical)
    .filter((word) => !ARTICLES.has(word));
  const stems = words.map((word) => (COMMON_WORD.test(word) ? withoutEnding(word) : word));
  return hashContent(stems.join('')).slice(0, HASH_DIGITS);
}

const HASH_DIGITS = 16;
const ARTICLES = new Set(['a', 'an', 'the']);
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
  const words = tokens.map((token, index) => ({
    text: canonical(foldCase(token, tokens[index - 1])),
    isCapitalized: /^\p{Lu}/u.test(token),
  }));
  return joinUnits(words.filter(({ text }, index) => !isArticle(text, tokens, index)));
}

/** "Plan A" and "option a" end in no article. */
function isArticle(text: string, tokens: readonly string[], index: number): boolean {
  if (index === tokens.length - 1) return false;
  if (text === 'the') return true;
  return (text === 'a' || text === 'an') && (index === 0 || tokens[index] === text);
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
