import { invalid, shortName } from '../invalid.js';
import type { SubjectKey, SubjectKeyType } from './memory.js';
import { FILTER_KEYS } from './named-keys.js';
import { assertExact, isScalar, type Scalar } from './scalar.js';
import { parseExternalKey } from './scope.js';
import { coerceSubjectKey, parseSubjectKey } from './subject-key.js';
import { assertStorable, countCodePoints } from './unicode.js';

/**
 * Selects the memories of a read (section 2.3). A memory must match every condition. A condition on a key that the
 * memory does not have is not met.
 */
export interface Filter {
  subjectKey?: SubjectKey;
  externalKey?: string;
  /** Conditions on metadata values, compared by type and value. Keys are distinct. */
  metadata: readonly MetadataCondition[];
}

interface MetadataCondition {
  key: string;
  /** If empty, no memory matches. */
  anyOf: readonly Scalar[];
}

export const NO_FILTER: Filter = { metadata: [] };

/** A filter in a request. */
export interface WireFilter extends Partial<Record<(typeof FILTER_KEYS)[number], string>> {
  subjectKey?: unknown;
  /** Required values by metadata key, or by `externalKey` for the field of that name. */
  match?: Readonly<Record<string, Scalar>>;
}

/**
 * Form of the filter. `json` compares type and value. `brackets` contains only strings, so each string also matches the
 * number or boolean of the same JSON text, unless metadata cannot contain this number.
 */
export type FilterForm = 'json' | 'brackets';

interface SubjectKeySettings {
  subjectKeyType?: SubjectKeyType;
}

const ALL_KEYS = ['subjectKey', ...FILTER_KEYS, 'match'].join(', ');
const MAX_KEYS = 20;
const MAX_KEY_CODE_POINTS = 256;
const MAX_VALUE_CODE_POINTS = 1024;

/** Reports if every memory matches. */
export function isEmptyFilter(filter: Filter): boolean {
  return filter.subjectKey === undefined && filter.externalKey === undefined && filter.metadata.length === 0;
}

/**
 * Converts a filter of a request into conditions.
 *
 * @throws {UnprocessableError} at the invalid key: for unknown keys, values of a wrong type, more than 20 keys, keys
 *   over 256 and values over 1,024 characters; `subject_key_invalid` for a subject key of another type than the
 *   organization's
 */
export function parseFilter(wire: WireFilter | undefined, settings: SubjectKeySettings, form: FilterForm): Filter {
  if (wire === undefined) return NO_FILTER;
  const { subjectKey, match, ...named } = asObject(wire, 'filter');
  const matches = Object.entries(match === undefined ? {} : asObject(match, 'filter.match'));
  const names = Object.entries(named).filter(([, value]) => value !== undefined);
  if (names.length + matches.length + (subjectKey === undefined ? 0 : 1) > MAX_KEYS) {
    throw invalid('filter', `must have at most ${MAX_KEYS} keys, including those of match`);
  }
  const externalKey = matches.find(([key]) => key === 'externalKey')?.[1];
  const conditions = [
    ...names.map(([key, value]) => namedCondition(key, value, form)),
    ...matches.filter(([key]) => key !== 'externalKey').map(([key, value]) => matchCondition(key, value, form)),
  ];
  return {
    ...(subjectKey !== undefined && { subjectKey: readSubjectKey(subjectKey, settings, form) }),
    ...(externalKey !== undefined && { externalKey: readExternalKey(externalKey) }),
    metadata: intersect(conditions),
  };
}

function readSubjectKey(value: unknown, { subjectKeyType }: SubjectKeySettings, form: FilterForm): SubjectKey {
  const path = 'filter.subjectKey';
  if (form === 'brackets' && typeof value === 'string') return coerceSubjectKey(value, subjectKeyType, path);
  return parseSubjectKey(value, subjectKeyType, path);
}

function readExternalKey(value: unknown): string {
  const path = 'filter.match.externalKey';
  if (typeof value !== 'string') throw invalid(path, 'must be a string');
  return parseExternalKey(value, path);
}

function namedCondition(key: string, value: unknown, form: FilterForm): MetadataCondition {
  const path = `filter.${shortName(key)}`;
  if (!FILTER_KEYS.some((name) => name === key)) {
    throw invalid(path, `is not a filter key (${ALL_KEYS}): put other metadata keys under match`);
  }
  if (typeof value !== 'string') throw invalid(path, 'must be a string');
  return condition(key, value, path, form);
}

function matchCondition(key: string, value: unknown, form: FilterForm): MetadataCondition {
  const path = `filter.match.${shortName(key)}`;
  if (key === '' || countCodePoints(key) > MAX_KEY_CODE_POINTS) {
    throw invalid('filter.match', `must have keys of 1 to ${MAX_KEY_CODE_POINTS} characters`);
  }
  assertStorable(key, 'filter.match');
  assertExact(value, path);
  if (!isScalar(value)) throw invalid(path, 'must be a string, a number, a boolean or null');
  return condition(key, value, path, form);
}

function condition(key: string, value: Scalar, path: string, form: FilterForm): MetadataCondition {
  if (typeof value !== 'string') return { key, anyOf: [value] };
  if (countCodePoints(value) > MAX_VALUE_CODE_POINTS) {
    throw invalid(path, `must be at most ${MAX_VALUE_CODE_POINTS} characters`);
  }
  assertStorable(value, path);
  return { key, anyOf: form === 'brackets' ? readings(value) : [value] };
}

/** Returns the JSON values that a text in a query string can mean. */
function readings(text: string): Scalar[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = Number(text);
  const isExact = Math.abs(number) <= Number.MAX_SAFE_INTEGER;
  return isExact && JSON.stringify(number) === text ? [text, number] : [text];
}

/** Joins conditions on the same key: the value must be allowed by each. */
function intersect(conditions: readonly MetadataCondition[]): MetadataCondition[] {
  const byKey = new Map<string, readonly Scalar[]>();
  for (const { key, anyOf } of conditions) {
    const before = byKey.get(key);
    byKey.set(key, before === undefined ? anyOf : anyOf.filter((value) => before.includes(value)));
  }
  return Array.from(byKey, ([key, anyOf]) => ({ key, anyOf }));
}

/** Checks that a value is an object. Requests may contain other values than the types say. */
function asObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'must be an object');
  return Object.assign(Object.create(null), value);
}
