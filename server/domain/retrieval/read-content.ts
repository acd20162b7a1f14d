import { hashContent } from '../memory/content.js';
import { splitTokens } from '../memory/fold.js';
import { hashFormerWords } from '../memory/former-words.js';
import { type Fact, readFact } from '../memory/near-duplicate.js';
import { hashWords } from '../memory/words.js';
import { termsOf } from './keyword-terms.js';

/** What a content is looked up and compared by. Made before the transaction: it takes time in proportion to the length. */
export interface ReadContent extends Fact {
  contentHash: string;
  wordsHash: string;
  /** The hash of the words that a row of an earlier release has. */
  formerWordsHash: string;
  /** `termsOf` the content. */
  terms: readonly string[];
}

/** @param content as `normalizeContent` gave it */
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
