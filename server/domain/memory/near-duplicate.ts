import { hashFold, splitTokens } from './fold.js';
import { readWords, type Word } from './words.js';

/** UTF-16 code units. Above it only contents that fold alike are taken for the same, to keep the work of a write small. */
const MAX_LENGTH = 10_000;

/** What of a content tells which fact it states. */
export interface Fact {
  content: string;
  /** `hashFold` of the content. */
  foldHash: string;
  /** Undefined for a content that is too long to be compared by its words. */
  words: readonly Word[] | undefined;
}

/** @param tokens `splitTokens` of the content, where they are known */
export function readFact(content: string, tokens: readonly string[] = splitTokens(content)): Fact {
  return {
    content,
    foldHash: hashFold(content, tokens),
    words: content.length > MAX_LENGTH ? undefined : readWords(content, tokens),
  };
}

/** `same` holds whatever the vectors are. `likely` needs vectors that are close. */
export type Likeness = 'same' | 'likely' | 'other';

/**
 * Compares the facts that two contents state, so that one of them can be dropped.
 *
 * Vectors of "we use tabs" and "we use spaces" are as close as those of real
 * repetitions, and no list of opposites is complete. So the same words must
 * stand in the same order: then numbers, dates, negations, names and
 * identifiers agree, and so do the roles of names, in every language. Free
 * are, beside what folding ignores, a few things that change no fact: some
 * function words where they stand beside certain others, the mark of a list
 * item, contractions, spelling variants, number words and units written apart.
 * Whether a statement on things in general says "the deploy runs" or "the
 * deploys run" changes no fact either, if the vectors are close. Anything else
 * counts as another fact: an extra memory costs little, a lost one much.
 */
export function compareFacts(one: Fact, other: Fact): Likeness {
  if (one.foldHash === other.foldHash) return 'same';
  return one.words && other.words ? compareWords(one.words, other.words) : 'other';
}

function compareWords(one: readonly Word[], other: readonly Word[]): Likeness {
  if (one.length !== other.length || one.length === 0) return 'other';
  if (!one.every((word, index) => sameArticle(word.article, other[index]?.article))) return 'other';
  const differing = one.flatMap((word, index) => (word.text === other[index]?.text ? [] : [index]));
  if (differing.length === 0) return 'same';
  return isAgreement(differing) && isNumberShift(pairsAt(one, other, differing)) ? 'likely' : 'other';
}

/** "Some" may stand for "a", and not for the lack of an article: "some tests pass". */
function sameArticle(one: Word['article'], other: Word['article']): boolean {
  return one === other || (one !== 'some' && other !== 'some') || (one !== undefined && other !== undefined);
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

const COMMON_WORD = /^(?!the$)[a-z]{3,}$/;
const CALENDAR_WORD = /day$|^(?:second|minute|hour|week|weekend|month|quarter|year|morning|evening|night)$/;
