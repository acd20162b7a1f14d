import { hashContent } from '../text/content.js';
import { hashFold, splitTokens } from '../text/fold.js';
import { hashFormerWords } from '../text/former-words.js';
import { hashWords } from '../text/words.js';
import { termsOf } from './keyword-terms.js';

/** Values by which a content is found. Computed before the transaction: long contents take time. */
export interface ReadContent {
  content: string;
  contentHash: string;
  /** `hashFold` of the content. */
  foldHash: string;
  wordsHash: string;
  /** `hashFormerWords` of the content. */
  formerWordsHash: string;
  /** `termsOf` the content. */
  terms: readonly string[];
}

/** @param content result of `normalizeContent` */
export function readContent(content: string): ReadContent {
  const tokens = splitTokens(content);
  return {
    content,
    contentHash: hashContent(content),
    foldHash: hashFold(content, tokens),
    wordsHash: hashWords(content, tokens),
    formerWordsHash: hashFormerWords(content, tokens),
    terms: termsOf(content),
  };
}
