import { invalid } from '../invalid.js';
import { normalizeText } from '../text/unicode.js';
import type { SubjectKey, SubjectKeyType } from './memory.js';

const MAX_CODE_POINTS = 512;
const CODE = 'subject_key_invalid';
const UNCONFIGURED =
  'cannot be used until an owner sets subjectKeyType: memory settings update --subject-key-type string, or PATCH /api/organization/settings';
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/**
 * Validates a subject key by the organization's type: an integer within ±(2^53 − 1), or a string of 1 to 512
 * characters, which is returned in NFC.
 *
 * @param type undefined until an owner sets it
 * @throws {UnprocessableError} `subject_key_invalid`, at `path`
 */
export function parseSubjectKey(value: unknown, type: SubjectKeyType | undefined, path = 'subjectKey'): SubjectKey {
  if (type === undefined) throw unconfigured(path);
  if (type === 'string') {
    if (typeof value !== 'string') throw invalid(path, 'must be a string, as configured for the organization', CODE);
    return normalizeText(value, path, { maxCodePoints: MAX_CODE_POINTS, allowBlank: true, code: CODE });
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) throw notAnInteger(path);
  if (!Number.isSafeInteger(value)) throw invalid(path, 'must be within ±9007199254740991', CODE);
  return value === 0 ? 0 : value;
}

/**
 * Parses a subject key in a query string, which has no types. If the organization's type is integer, decimal digits are
 * an integer.
 *
 * @throws {UnprocessableError} `subject_key_invalid`, at `path`
 */
export function coerceSubjectKey(
  text: string,
  type: SubjectKeyType | undefined,
  path = 'filter.subjectKey',
): SubjectKey {
  if (type !== 'integer') return parseSubjectKey(text, type, path);
  if (!INTEGER.test(text)) throw notAnInteger(path);
  return parseSubjectKey(Number(text), type, path);
}

function unconfigured(path: string) {
  return invalid(path, UNCONFIGURED, CODE);
}

function notAnInteger(path: string) {
  return invalid(path, 'must be an integer, as configured for the organization', CODE);
}
