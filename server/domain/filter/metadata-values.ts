import type { Metadata } from '../memory/memory.js';
import { countCodePoints } from '../text/unicode.js';
import { MAX_FILTER_KEY_CODE_POINTS, MAX_FILTER_VALUE_CODE_POINTS } from './filter-values.js';
import type { Ordered } from './where.js';

/** A metadata value in the form that stores order. */
export interface MetadataValue {
  key: string;
  /** `null` for every value without an order: booleans, null, objects and arrays. */
  value: Ordered | null;
}

/** One character more than a filter can contain, so that the cut string is still above all its beginnings. */
const MAX_CODE_POINTS = MAX_FILTER_VALUE_CODE_POINTS + 1;

/** Returns the values that `where` can compare. Long strings are cut, which changes no comparison with a filter's string. */
export function valuesOf(metadata: Metadata): MetadataValue[] {
  return Object.entries(metadata)
    .filter(([key]) => key !== '' && countCodePoints(key) <= MAX_FILTER_KEY_CODE_POINTS)
    .map(([key, value]) => ({ key, value: orderedOf(value) }));
}

function orderedOf(value: unknown): Ordered | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  return value.length <= MAX_CODE_POINTS
    ? value
    : [...value.slice(0, 2 * MAX_CODE_POINTS)].slice(0, MAX_CODE_POINTS).join('');
}
