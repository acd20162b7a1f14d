import { hashFold, splitTokens } from './fold.js';
import { readWords, type Word } from './words.js';

/** UTF-16 code units. Longer contents are only compared by `foldContent`, to limit the work of a write. */
const MAX_LENGTH = 10_000;

/** Values of a content by which `compareFacts` detects near-duplicates. */
export interface Fact {
  content: string;
  /** `hashFold` of the content. */
  foldHash: string;
  /** Undefined if the content is too long to compare its words. */
  words: readonly Word[] | undefined;
}

export function readFact(content: string): Fact {
  const tokens = splitTokens(content);
  return {
    content,
    foldHash: hashFold(content, tokens),
    words: hasComparableWords(content) ? readWords(content, tokens) : undefined,
  };
}

/** Reports if `compareFacts` compares the words of a content, and not only its fold. */
export function hasComparableWords(content: string): boolean {
  return content.length <= MAX_LENGTH;
}

/** `same`: a near-duplicate. `likely`: a near-duplicate if the vectors are close too. */
export type Likeness = 'same' | 'likely' | 'other';

/**
 * Reports if two contents say the same, so that one of them can be dropped.
 *
 * Vectors of "we use tabs" and "we use spaces" are as close as those of real repetitions, and no list of opposites is
 * complete. The same words must therefore occur in the same order. Then numbers, dates, negations, names, identifiers
 * and the roles of names agree, in every language.
 *
 * Only a few differences are ignored: those that `foldContent` removes, some function words next to certain others, the
 * mark of a list item, contractions, spelling variants, number words, and a space before a unit. If the vectors are
 * close, singular and plural of a general statement are ignored too: "the deploy runs", "the deploys run". Any other
 * difference counts, because an extra memory costs little and a lost one much.
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

/** Treats "some" as "a", but not as a missing article: "some tests pass". */
function sameArticle(one: Word['article'], other: Word['article']): boolean {
  return one === other || (one !== 'some' && other !== 'some') || (one !== undefined && other !== undefined);
}

/** Reports if only the subject at the start of a text and its verb differ, with at most one word between them. */
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

/** Reports if the subject gains the -s that the verb loses, or the reverse. A capitalized subject may be a name. */
function isNumberShift([subject, verb]: readonly Pair[]): boolean {
  if (!subject || !verb) return false;
  const [[noun, otherNoun], [predicate, otherPredicate]] = [subject, verb];
  if (noun.isCapitalized && otherNoun.isCapitalized) return false;
  return (
    (isPluralOf(otherNoun.text, noun.text) && isPluralOf(predicate.text, otherPredicate.text)) ||
    (isPluralOf(noun.text, otherNoun.text) && isPluralOf(otherPredicate.text, predicate.text))
  );
}

/** Reports if a word is the plural of a noun, or the third person of a verb, which has the same form. */
function isPluralOf(plural: string, singular: string): boolean {
  if (!COMMON_WORD.test(singular) || CALENDAR_WORD.test(singular)) return false;
  if (/[^aeiou]y$/.test(singular)) return plural === `${singular.slice(0, -1)}ies`;
  return plural === singular + (/(?:s|x|z|ch|sh|o)$/.test(singular) ? 'es' : 's');
}

const COMMON_WORD = /^(?!the$)[a-z]{3,}$/;
const CALENDAR_WORD = /day$|^(?:second|minute|hour|week|weekend|month|quarter|year|morning|evening|night)$/;
