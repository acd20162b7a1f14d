import { invalid, shortName } from '../../../domain/invalid.js';
import { UnprocessableError } from '../../../errors.js';

const NULL_CHARACTER = '\0';
/** Its only form in JSON, which forbids the character itself. */
const ESCAPED = '\\u0000';
const MESSAGE = 'must not contain the character U+0000';

export function holdsNull(text: string): boolean {
  return text.includes(NULL_CHARACTER);
}

/**
 * Rejects U+0000 in every string and key of a JSON value. Database drivers end a text there, so the stored text would
 * differ from the one that was compared and counted.
 *
 * @param bytes the JSON text of `value`
 * @param checkedLater path of a member that another function checks
 * @throws {UnprocessableError} with the path of the string
 */
export function assertNoNull(bytes: Buffer, value: unknown, checkedLater?: string): void {
  if (bytes.includes(ESCAPED)) walk(value, '', checkedLater);
}

/** @throws {UnprocessableError} with `path`, or the path of a member in it */
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
