import { hash } from 'node:crypto';
import { invalid } from '../invalid.js';
import { countCodePoints, normalizeText } from './unicode.js';

const PATH = 'content';

/**
 * The content as it is stored: in NFC, white space and case untouched.
 *
 * @param maxCodePoints counted after NFC
 * @throws {UnprocessableError} at `content`, when it is blank, too long, or not storable text
 */
export function normalizeContent(raw: string, maxCodePoints: number): string {
  return normalizeText(raw, PATH, { maxCodePoints });
}

/**
 * The cap once more, for the writer, whatever path the content came by.
 *
 * @throws {UnprocessableError} at `content`
 */
export function assertContentLength(content: string, maxCodePoints: number): void {
  if (content.length <= maxCodePoints || countCodePoints(content) <= maxCodePoints) return;
  throw invalid(PATH, `must be at most ${maxCodePoints} characters (Unicode code points)`);
}

/** SHA-256 of the UTF-8 bytes, in hex. Contents are the same exactly when these are. */
export function hashContent(content: string): string {
  return hash('sha256', content, 'hex');
}
