import { invalid } from '../invalid.js';
import { countCodePoints } from '../memory/unicode.js';

const MAX_LENGTH = 254;
const SHAPE = /^[^\s@]+@[^\s@]+$/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/** An address as addresses are compared: two that differ in case alone are one person's. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/**
 * Takes what can be an address; whether mail arrives there is not known.
 *
 * @throws {UnprocessableError} at `path`
 */
export function parseEmail(text: string, path: string): string {
  if (countCodePoints(text) > MAX_LENGTH || !SHAPE.test(text) || UNSEEN.test(text)) {
    throw invalid(path, `must be an e-mail address of at most ${MAX_LENGTH} characters`);
  }
  return text.normalize('NFC');
}
