import { createHash } from 'node:crypto';
import type { Metadata } from '../memory/memory.js';
import { isScalar, type Scalar } from '../memory/scalar.js';

const MAX_LITERAL_LENGTH = 200;

/**
 * Returns a string for a metadata key and a scalar value: equal exactly if key, type and value are equal. Stores index
 * these strings, so that keys such as `$where` or `a.b` are data and never field names or paths.
 *
 * Strings over 200 UTF-16 units are represented by their SHA-256.
 */
export function facetOf(key: string, value: Scalar): string {
  return facetPrefix(key) + literal(value);
}

/** Returns the prefix of all facets of a key. Facets of other keys never have it. */
export function facetPrefix(key: string): string {
  return `${JSON.stringify(key)}:`;
}

/** Returns a range that contains exactly the facets of a key: at least `from` and less than `before`. */
export function facetRange(key: string): [from: string, before: string] {
  const prefix = facetPrefix(key);
  // The prefix ends in a colon, and a semicolon is the next character.
  return [prefix, `${prefix.slice(0, -1)};`];
}

/** Returns the value of a facet of this key; undefined if it only has the hash of a long string. */
export function facetValue(key: string, facet: string): Scalar | undefined {
  const value = facet.slice(facetPrefix(key).length);
  return value.startsWith('#') ? undefined : (JSON.parse(value) as Scalar);
}

/** Returns the facet of one metadata key, if its value is a scalar. */
export function facetIn(metadata: Metadata, key: string): string | undefined {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return value !== undefined && isScalar(value) ? facetOf(key, value) : undefined;
}

/** Returns one facet for each top-level key whose value is a scalar. */
export function facetsOf(metadata: Metadata): string[] {
  return Object.entries(metadata).flatMap(([key, value]) => (isScalar(value) ? [facetOf(key, value)] : []));
}

function literal(value: Scalar): string {
  const text = JSON.stringify(value);
  const isLong = typeof value === 'string' && value.length > MAX_LITERAL_LENGTH;
  return isLong ? `#${createHash('sha256').update(text).digest('hex')}` : text;
}
