import type { Metadata } from '../memory/memory.js';
import { hasApiKey } from './api-keys.js';
import { Effort } from './effort.js';
import { hasEmail } from './emails.js';
import { hasPaymentCard } from './payment-cards.js';

/** Kinds of what a memory must not hold (part 7). */
type RejectionReason = 'api_key' | 'payment_card' | 'email';

/** Tells what kinds of secrets and personal data texts hold; empty when there are none. */
export type ContentScan = (texts: Iterable<string>) => RejectionReason[];

/** Characters that are not seen and would part a find in two. */
const INVISIBLE = /[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]/g;

const RULES: readonly (readonly [RejectionReason, (text: string, effort: Effort) => boolean])[] = [
  ['api_key', hasApiKey],
  ['payment_card', hasPaymentCard],
  ['email', hasEmail],
];

/**
 * Looks through each text, and through what it is without invisible
 * characters. Takes time in proportion to the length of the texts.
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

function formsOf(text: string): string[] {
  const visible = text.replace(INVISIBLE, '');
  return visible.length === text.length ? [text] : [text, visible];
}
