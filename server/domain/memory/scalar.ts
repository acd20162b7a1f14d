import { invalid } from '../invalid.js';

/** A JSON value that is neither an object nor an array. Filters compare scalars, and facets count them. */
export type Scalar = string | number | boolean | null;

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/**
 * Rejects a number that JSON may have rounded, because two different ids would become equal.
 *
 * @throws {UnprocessableError} for numbers beyond 2^53 - 1
 */
export function assertExact(value: unknown, path: string): void {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return;
  throw invalid(path, 'must be within ±9007199254740991: send a larger number as a string');
}
