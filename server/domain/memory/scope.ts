import { normalizeText } from '../text/unicode.js';
import type { Scope } from './memory.js';

const MAX_PART_CODE_POINTS = 256;
const MAX_KEY_CODE_POINTS = 512;

/**
 * Returns the scope in NFC. An absent field becomes the empty string, so that equal scopes have equal fields.
 *
 * @throws {UnprocessableError} at `scope.source` or `scope.project`, if it is given and not 1 to 256 characters long
 */
export function parseScope(scope: { source?: string; project?: string } | undefined): Scope {
  return { source: parsePart(scope?.source, 'scope.source'), project: parsePart(scope?.project, 'scope.project') };
}

/**
 * Returns the external key in NFC.
 *
 * @throws {UnprocessableError} at `path`, if it is not 1 to 512 characters long
 */
export function parseExternalKey(value: string, path = 'externalKey'): string {
  return normalizeText(value, path, { maxCodePoints: MAX_KEY_CODE_POINTS, allowBlank: true });
}

function parsePart(part: string | undefined, path: string): string {
  if (part === undefined) return '';
  return normalizeText(part, path, { maxCodePoints: MAX_PART_CODE_POINTS, allowBlank: true });
}
