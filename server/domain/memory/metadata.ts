import { invalid } from '../invalid.js';
import { assertStorable, countCodePoints } from '../text/unicode.js';
import type { Metadata } from './memory.js';
import { assertExact, isScalar } from './scalar.js';

/** Maximum size of metadata as JSON. */
export const MAX_METADATA_BYTES = 65_536;
const MAX_DEPTH = 8;
const MAX_KEYS = 256;
const MAX_KEY_CODE_POINTS = 256;

/** Fields of a memory that are not allowed as keys of its metadata. */
const TOP_LEVEL_FIELDS = ['externalKey', 'subjectKey'];

/**
 * Validates metadata and returns a deep copy.
 *
 * @throws {UnprocessableError} at the invalid key, for a value that is not a JSON object or exceeds a limit: 64 KiB as
 *   JSON, 8 levels, 256 keys in total, keys of 1 to 256 characters; for a key `__proto__` at any level and for a
 *   top-level key that is a field of the memory
 */
export function parseMetadata(value: unknown, path = 'metadata'): Metadata {
  if (!isPlainObject(value)) throw invalid(path, 'must be a JSON object');
  for (const field of TOP_LEVEL_FIELDS) {
    if (Object.hasOwn(value, field)) {
      throw invalid(`${path}.${field}`, `is not metadata: send it as the top-level field ${field}`);
    }
  }
  const metadata = new Copier().copyObject(value, path, 1);
  if (byteLength(metadata) > MAX_METADATA_BYTES)
    throw invalid(path, `must be at most ${MAX_METADATA_BYTES} bytes as JSON`);
  return metadata;
}

/**
 * Merges the top-level keys of `incoming` into `current`. A null replaces a value and stays null.
 *
 * @throws {UnprocessableError} at `metadata`, if the result exceeds a limit that neither of the two exceeds
 */
export function mergeMetadata(current: Metadata, incoming: Metadata): Metadata {
  if (hasAll(current, incoming)) return current;
  const merged = { ...current, ...incoming };
  if (countKeys(merged) > MAX_KEYS) throw overflow(`${MAX_KEYS} keys`);
  if (byteLength(merged) > MAX_METADATA_BYTES) throw overflow(`${MAX_METADATA_BYTES} bytes as JSON`);
  return merged;
}

function hasAll(current: Metadata, incoming: Metadata): boolean {
  return Object.keys(incoming).every((key) => Object.hasOwn(current, key) && sameValue(current[key], incoming[key]));
}

/** Reports if both are equal as JSON values, whatever the order of keys. */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  return sameValue(one, other);
}

function overflow(bound: string) {
  return invalid('metadata', `would exceed ${bound} once merged with what is stored: send less, or replace it`);
}

class Copier {
  private keys = 0;

  copyObject(source: Readonly<Record<string, unknown>>, path: string, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(source)) {
      this.keys += 1;
      if (this.keys > MAX_KEYS) throw invalid(path, `must have at most ${MAX_KEYS} keys, including nested ones`);
      assertKey(key, path);
      copy[key] = this.copyValue(source[key], `${path}.${key}`, depth + 1);
    }
    return copy;
  }

  private copyValue(value: unknown, path: string, depth: number): unknown {
    if (typeof value === 'string') {
      // This check comes before those that read each character.
      if (value.length > MAX_METADATA_BYTES) throw invalid(path, `must be at most ${MAX_METADATA_BYTES} bytes as JSON`);
      assertStorable(value, path);
    }
    assertExact(value, path);
    if (isScalar(value)) return value;
    if (depth > MAX_DEPTH) throw invalid(path, `is nested too deeply: at most ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) {
      return Array.from(value, (item: unknown, index) => this.copyValue(item, `${path}.${index}`, depth + 1));
    }
    if (isPlainObject(value)) return this.copyObject(value, path, depth);
    throw invalid(path, 'must be a JSON value');
  }
}

function assertKey(key: string, path: string): void {
  if (key === '__proto__') throw invalid(path, 'must not have a key __proto__');
  if (key === '' || countCodePoints(key) > MAX_KEY_CODE_POINTS) {
    throw invalid(path, `must have keys of 1 to ${MAX_KEY_CODE_POINTS} characters`);
  }
  // The path of the error does not contain the key, which may be unprintable.
  assertStorable(key, path);
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((count, child) => count + countKeys(child), own);
}

function byteLength(metadata: Metadata): number {
  return Buffer.byteLength(JSON.stringify(metadata), 'utf8');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) return sameArray(one, other);
  const mine = Object.entries(one);
  const others = new Map<string, unknown>(Object.entries(other));
  return mine.length === others.size && mine.every(([key, value]) => sameValue(value, others.get(key)));
}

function sameArray(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((item, index) => sameValue(item, other[index]));
}
