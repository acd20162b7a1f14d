import { invalid } from '../invalid.js';

const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

/**
 * Validates a new password. Only its length matters.
 *
 * @throws {UnprocessableError} at `path`
 */
export function assertPassword(password: string, path: string): void {
  const length = Array.from(password.slice(0, 2 * MAX_LENGTH + 1)).length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    throw invalid(path, `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`);
  }
}
