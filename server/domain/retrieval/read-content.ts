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
  /** `hashFormerWords` of the content, if asked for. */
  formerWordsHash?: string;
  /** `termsOf` the content. */
  terms: readonly string[];
}

/**
 * @param content result of `normalizeContent`
 * @param withFormer if true, the result has the hash by which memories of earlier releases are found
 */
export function readContent(content: string, withFormer = false): ReadContent {
  const tokens = splitTokens(content);
  const read: ReadContent = {
    content,
    contentHash: hashContent(content),
    foldHash: hashFold(content, tokens),
    wordsHash: hashWords(content, tokens),
    terms: termsOf(content),
  };
  if (withFormer) read.formerWordsHash = hashFormerWords(content, tokens);
  return read;
}
