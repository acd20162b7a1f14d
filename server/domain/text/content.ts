import { hash } from 'node:crypto';
import { invalid } from '../invalid.js';
import { countCodePoints, normalizeText } from './unicode.js';

const PATH = 'content';

/**
 * Normalizes content to NFC. White space and case stay unchanged.
 *
 * @param maxCodePoints counted after NFC
 * @throws {UnprocessableError} at `content`, if it is blank, too long, or cannot be stored
 */
export function normalizeContent(raw: string, maxCodePoints: number): string {
  return normalizeText(raw, PATH, { maxCodePoints });
}

/**
 * Checks the length of content that was not normalized in this request.
 *
 * @throws {UnprocessableError} at `content`
 */
export function assertContentLength(content: string, maxCodePoints: number): void {
  if (content.length <= maxCodePoints || countCodePoints(content) <= maxCodePoints) return;
  throw invalid(PATH, `must be at most ${maxCodePoints} characters (Unicode code points)`);
}

/** Returns the SHA-256 of the UTF-8 bytes, hex. Contents are equal exactly if their hashes are. */
export function hashContent(content: string): string {
  return hash('sha256', content, 'hex');
}
