import type { Metadata } from '../memory/memory.js';
import { stripMarks } from '../memory/unicode.js';
import { hasApiKey } from './api-keys.js';
import { Effort } from './effort.js';
import { hasEmail } from './emails.js';
import { hasPaymentCard } from './payment-cards.js';

/** Kinds of what a memory must not hold (part 7). */
export type RejectionReason = 'api_key' | 'payment_card' | 'email';

/** Tells what kinds of secrets and personal data texts hold; empty when there are none. */
export type ContentScan = (texts: Iterable<string>) => RejectionReason[];

/**
 * Characters that are not seen and would part a find in two: zero-width and control characters, marks of direction,
 * variation selectors, tags, fillers. White space stays.
 */
const INVISIBLE = /(?![\t-\r\u0085])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu;
const NOT_PLAIN = /[^\t\n\r -~]/;
/** Characters that NFKD makes whole phrases of: a letter each is enough to scan. */
const PHRASE = /[\ufdfa\ufdfb]/g;
const DASH = /[\p{Pd}\u2212]/gu;

const RULES: readonly (readonly [RejectionReason, (text: string, effort: Effort) => boolean])[] = [
  ['api_key', hasApiKey],
  ['payment_card', hasPaymentCard],
  ['email', hasEmail],
];

/**
 * Looks through each text, through what it is without invisible characters,
 * and through what it is in plain letters and digits: fullwidth,
 * mathematical and circled ones look like them. Takes time in proportion to
 * the length of the texts.
 *
 * @throws {ScanEffortError} in place of taking longer
 */
export const scanTexts: ContentScan = (texts) => {
  const found = new Set<RejectionReason>();
  for (const text of texts) {
    for (const form of formsOf(text)) {
      const effort = new Effort(form.length);
      for (const [reason, holds] of RULES) if (!found.has(reason) && holds(form, effort)) found.add(reason);
    }
  }
  return RULES.map(([reason]) => reason).filter((reason) => found.has(reason));
};

/** What of a memory is scanned: its content, and the keys and scalar values of its metadata at every level. */
export function* textsOf(content: string | undefined, metadata: Metadata | undefined): Generator<string> {
  if (content !== undefined) yield content;
  if (metadata !== undefined) yield* textsIn(metadata);
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      yield key;
      yield* textsIn(member);
    }
  }
}

function formsOf(text: string): Iterable<string> {
  if (!NOT_PLAIN.test(text)) return [text];
  const visible = text.replace(INVISIBLE, '');
  const plain = stripMarks(visible.replace(PHRASE, 'x'), Number.POSITIVE_INFINITY).replace(DASH, '-');
  return new Set([text, visible, plain]);
}
