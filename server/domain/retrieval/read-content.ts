import { hashContent } from '../text/content.js';
import { splitTokens } from '../text/fold.js';
import { hashFormerWords } from '../text/former-words.js';
import { type Fact, readFact } from '../text/near-duplicate.js';
import { hashWords } from '../text/words.js';
import { termsOf } from './keyword-terms.js';

/** Values by which a content is found and compared. Computed before the transaction: long contents take time. */
export interface ReadContent extends Fact {
  contentHash: string;
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
    ...readFact(content, tokens),
    contentHash: hashContent(content),
    wordsHash: hashWords(content, tokens),
    formerWordsHash: hashFormerWords(content, tokens),
    terms: termsOf(content),
  };
}
