import { UnprocessableError } from '../errors.js';

/**
 * Creates the error 422 for one invalid field.
 *
 * @param path of the field in the request, such as `metadata.team`
 * @param message what the field must be, as a text that follows the path; never contains the value
 */
export function invalid(path: string, message: string, code?: string): UnprocessableError {
  return new UnprocessableError(`${path} ${message}`, [{ path, message }], code);
}

/** Shortens a name from the caller to at most 80 characters, for use in an error. */
export function shortName(name: string): string {
  return Array.from(name.slice(0, 200)).slice(0, 80).join('');
}
