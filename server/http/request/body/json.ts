import { isUtf8 } from 'node:buffer';
import { BadRequestError } from '../../../errors.js';
import { JsonShape, type ShapeRules } from './json-shape.js';
import { assertNoNull } from './null-character.js';

interface JsonRules extends ShapeRules {
  /** Path of a member in which another function rejects U+0000. */
  checkedLater?: string;
}

/**
 * Parses a JSON text. It first counts depth, values and members in one pass over the bytes. Parsing and checking a
 * body of millions of values would block other callers.
 *
 * @throws {BadRequestError} for anything but JSON in UTF-8
 * @throws {UnprocessableError} for more than 32 levels, too many values, too many members of one object, and U+0000
 *   in a string or key
 */
export function parseJson(bytes: Buffer, rules: JsonRules = {}): unknown {
  new JsonShape(rules).take(bytes);
  return parseCounted(bytes, rules);
}

/**
 * Parses a JSON text that a `JsonShape` has counted.
 *
 * @throws {BadRequestError} for anything but JSON in UTF-8
 * @throws {UnprocessableError} for U+0000 in a string or key
 */
export function parseCounted(bytes: Buffer, { checkedLater }: Pick<JsonRules, 'checkedLater'> = {}): unknown {
  if (!isUtf8(bytes)) throw new BadRequestError('The body is not UTF-8');
  const value = parse(bytes);
  assertNoNull(bytes, value, checkedLater);
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new BadRequestError('The body is not valid JSON');
  }
}
