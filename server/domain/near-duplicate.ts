import { foldCase, foldContent, splitTokens } from './fold.js';

/** UTF-16 code units. Above it only equal contents are taken for the same, to keep the work of a write small. */
const MAX_LENGTH = 10_000;

/**
 * Whether two contents that mean nearly the same surely state the same fact,
 * so that one of them can be dropped.
 *
 * Vectors of "we use tabs" and "we use spaces" are as close as those of real
 * repetitions, and no list of opposites is complete. So the same words must
 * stand in the same order: then numbers, dates, negations, names and
 * identifiers agree, and so do the roles of names, in every language. Free
 * are, beside what folding ignores, a few things of English that change no
 * fact: articles, contractions, spelling variants, number words, units
 * written apart, and whether a statement on things in general says "the
 * deploy runs" or "the deploys run". Anything else counts as another fact: an
 * extra memory costs little, a lost one much.
 */
export function sameFact(one: string, other: string): boolean {
  if (one === other) return true;
  if (Math.max(one.length, other.length) > MAX_LENGTH) return false;
  return foldContent(one) === foldContent(other) || sameWords(readWords(one), readWords(other));
}

interface Word {
  text: string;
  isCapitalized: boolean;
}

function sameWords(one: readonly Word[], other: readonly Word[]): boolean {
  if (one.length !== other.length || one.length === 0) return false;
  const differing = one.flatMap((word, index) => (word.text === other[index]?.text ? [] : [index]));
  if (differing.length === 0) return true;
  return isAgreement(differing) && isNumberShift(pairsAt(one, other, differing));
}

/** Only the subject that a text begins with, and its verb, at most one word further on. */
function isAgreement(differing: readonly number[]): boolean {
  const [subject, verb = 0] = differing;
  return differing.length === 2 && subject === 0 && verb <= 2;
}

type Pair = readonly [one: Word, other: Word];

function pairsAt(one: readonly Word[], other: readonly Word[], indexes: readonly number[]): Pair[] {
  return indexes.flatMap((index) => {
    const [mine, theirs] = [one[index], other[index]];
    return mine && theirs ? [[mine, theirs] as const] : [];
  });
}

/** Whether the subject gains the -s that the verb loses, or the reverse. A capitalized subject may be a name. */
function isNumberShift([subject, verb]: readonly Pair[]): boolean {
  if (!subject || !verb) return false;
  const [[noun, otherNoun], [predicate, otherPredicate]] = [subject, verb];
  if (noun.isCapitalized && otherNoun.isCapitalized) return false;
  return (
    (isPluralOf(otherNoun.text, noun.text) && isPluralOf(predicate.text, otherPredicate.text)) ||
    (isPluralOf(noun.text, otherNoun.text) && isPluralOf(otherPredicate.text, predicate.text))
  );
}

/** Also the third person of verbs, which is formed alike. */
function isPluralOf(plural: string, singular: string): boolean {
  if (!COMMON_WORD.test(singular) || CALENDAR_WORD.test(singular)) return false;
  if (/[^aeiou]y$/.test(singular)) return plural === `${singular.slice(0, -1)}ies`;
  return plural === singular + (/(?:s|x|z|ch|sh|o)$/.test(singular) ? 'es' : 's');
}

const COMMON_WORD = /^[a-z]{3,}$/;
const CALENDAR_WORD = /day$|^(?:second|minute|hour|week|weekend|month|quarter|year|morning|evening|night)$/;

function readWords(content: string): Word[] {
  const tokens = splitTokens(content).flatMap(expand);
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
