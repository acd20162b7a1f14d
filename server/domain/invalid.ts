import { UnprocessableError } from '../errors.js';

/**
 * The 422 for one bad field, to be thrown.
 *
 * @param path of the field in the request, such as `metadata.team`
 * @param message what the field must be, to be read after its path; never holds the value
 */
export function invalid(path: string, message: string, code?: string): UnprocessableError {
  return new UnprocessableError(`${path} ${message}`, [{ path, message }], code);
}

/** A name that the caller chose, cut to what an error can carry. */
export function shortName(name: string): string {
  return Array.from(name.slice(0, 200)).slice(0, 80).join('');
}
