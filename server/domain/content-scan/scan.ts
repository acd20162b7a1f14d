import type { Metadata } from '../memory/memory.js';
import { CharacterForms } from '../text/character-forms.js';
import { CodePointClass } from '../text/code-point-class.js';
import { stripMarks } from '../text/strip-marks.js';
import { hasApiKey } from './api-keys.js';
import { Effort } from './effort.js';
import { hasEmail } from './emails.js';
import { hasPaymentCard } from './payment-cards.js';

/** Kinds of data that a memory must not contain (section 7). */
export type RejectionReason = 'api_key' | 'payment_card' | 'email';

/** Returns the kinds of secrets and personal data in texts. */
export type ContentScan = (texts: Iterable<string>) => RejectionReason[];

/**
 * Invisible characters that could hide a match: zero-width and control characters, marks of direction, variation
 * selectors, tags, fillers. White space stays.
 */
const INVISIBLE = new CodePointClass(/(?![\t-\r\u0085])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/u);
const NOT_PLAIN = /[^\t\n\r -~]/;
/** Characters that NFKD expands to whole phrases. The scan replaces each with one letter. */
const PHRASE = new CodePointClass(/[\ufdfa\ufdfb]/);
const DASH = new CodePointClass(/[\p{Pd}\u2212]/u);

const RULES: readonly (readonly [RejectionReason, (text: string, effort: Effort) => boolean])[] = [
  ['api_key', hasApiKey],
  ['payment_card', hasPaymentCard],
  ['email', hasEmail],
];

/**
 * Scans each text as it is, without invisible characters, and with ASCII in place of fullwidth, mathematical and
 * circled letters and digits. Takes linear time.
 *
 * @throws {ScanEffortError} if a scan would take longer
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

/** Yields the texts of a memory to scan: its content, and the keys and scalar values of its metadata at every level. */
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

const PLAIN = new CharacterForms((character) => {
  const visible = INVISIBLE.replaceIn(character, '');
  return DASH.replaceIn(stripMarks(PHRASE.replaceIn(visible, 'x'), Number.POSITIVE_INFINITY), '-');
});

function formsOf(text: string): Iterable<string> {
  if (!NOT_PLAIN.test(text)) return [text];
  return new Set([text, INVISIBLE.replaceIn(text, ''), PLAIN.of(text, Number.POSITIVE_INFINITY)]);
}
