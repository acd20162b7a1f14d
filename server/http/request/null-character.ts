import { invalid, shortName } from '../../domain/invalid.js';
import { UnprocessableError } from '../../errors.js';

const NULL_CHARACTER = '\0';
/** How JSON writes it: as itself it is no JSON. */
const ESCAPED = '\\u0000';
const MESSAGE = 'must not hold the character U+0000';

export function holdsNull(text: string): boolean {
  return text.includes(NULL_CHARACTER);
}

/**
 * Refuses U+0000 in every string and key of a JSON value. Drivers of databases end a text there, so what is compared
 * or counted would be another text than what is stored.
 *
 * @param bytes that the value was parsed from
 * @param checkedLater path of a member that is left to whoever reads it
 * @throws {UnprocessableError} naming where it is
 */
export function assertNoNull(bytes: Buffer, value: unknown, checkedLater?: string): void {
  if (bytes.includes(ESCAPED)) walk(value, '', checkedLater);
}

/** @throws {UnprocessableError} at `path`, or at a member of it */
export function assertNoNullIn(value: unknown, path: string): void {
  walk(value, path, undefined);
}

function walk(value: unknown, path: string, checkedLater: string | undefined): void {
  if (typeof value === 'string') {
    if (holdsNull(value)) throw refusal(path);
    return;
  }
  if (typeof value !== 'object' || value === null || (path !== '' && path === checkedLater)) return;
  const prefix = path === '' ? '' : `${path}.`;
  for (const [key, member] of Object.entries(value)) {
    if (holdsNull(key)) throw refusal(prefix + shortName(key.replaceAll(NULL_CHARACTER, '')));
    walk(member, prefix + shortName(key), checkedLater);
  }
}

function refusal(path: string): UnprocessableError {
  return path === '' ? new UnprocessableError(`The body ${MESSAGE}`) : invalid(path, MESSAGE);
}
