import { invalid } from '../invalid.js';
import { assertExact, isScalar, type Scalar } from '../memory/scalar.js';
import { assertStorable, countCodePoints } from '../text/unicode.js';

/**
 * Form of the filter. `json` compares type and value. `brackets` contains only strings, so each string also matches the
 * number or boolean of the same JSON text, unless metadata cannot contain this number.
 */
export type FilterForm = 'json' | 'brackets';

export const MAX_FILTER_KEY_CODE_POINTS = 256;
/** Longest string in a filter. Stores order longer values by their beginnings: see `valuesOf`. */
export const MAX_FILTER_VALUE_CODE_POINTS = 1024;

/** @throws {UnprocessableError} at `path`, if a metadata key is empty or too long, or cannot be stored */
export function assertFilterKey(key: string, path: string): void {
  if (key === '' || countCodePoints(key) > MAX_FILTER_KEY_CODE_POINTS) {
    throw invalid(path, `must have keys of 1 to ${MAX_FILTER_KEY_CODE_POINTS} characters`);
  }
  assertStorable(key, path);
}

/** Returns the values that one value of a filter means. @throws {UnprocessableError} at `path` */
export function parseScalar(value: unknown, path: string, form: FilterForm): Scalar[] {
  assertExact(value, path);
  if (!isScalar(value)) throw invalid(path, 'must be a string, a number, a boolean or null');
  if (typeof value !== 'string') return [value];
  assertFilterText(value, path);
  return form === 'brackets' ? readings(value) : [value];
}

/** @throws {UnprocessableError} at `path`, if a string of a filter is too long or cannot be stored */
export function assertFilterText(value: string, path: string): void {
  if (countCodePoints(value) > MAX_FILTER_VALUE_CODE_POINTS) {
    throw invalid(path, `must be at most ${MAX_FILTER_VALUE_CODE_POINTS} characters`);
  }
  assertStorable(value, path);
}

/** Checks that a value is an object. Requests may contain other values than the types say. */
export function asObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'must be an object');
  return Object.assign(Object.create(null), value);
}

/** Returns the JSON values that a text in a query string can mean. */
function readings(text: string): Scalar[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = Number(text);
  const isExact = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return isExact && JSON.stringify(number) === text ? [text, number] : [text];
}
