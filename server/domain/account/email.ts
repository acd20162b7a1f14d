import { invalid } from '../invalid.js';
import { countCodePoints } from '../text/unicode.js';

const MAX_LENGTH = 254;
const SHAPE = /^[^\s@]+@[^\s@]+$/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/** Returns the form in which addresses are compared. Addresses that differ only in case belong to one person. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/**
 * Validates the form of an address, not that mail arrives there.
 *
 * @throws {UnprocessableError} at `path`
 */
export function parseEmail(text: string, path: string): string {
  if (countCodePoints(text) > MAX_LENGTH || !SHAPE.test(text) || UNSEEN.test(text)) {
    throw invalid(path, `must be an e-mail address of at most ${MAX_LENGTH} characters`);
  }
  return text.normalize('NFC');
}
