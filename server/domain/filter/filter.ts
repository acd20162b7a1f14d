import { invalid, shortName } from '../invalid.js';
import type { SubjectKey, SubjectKeyType } from '../memory/memory.js';
import type { Scalar } from '../memory/scalar.js';
import { parseExternalKey } from '../memory/scope.js';
import { coerceSubjectKey, parseSubjectKey } from '../memory/subject-key.js';
import { asObject, assertFilterKey, type FilterForm, parseScalar } from './filter-values.js';
import { FILTER_KEYS } from './named-keys.js';
import { parseWhereKey, type WhereCondition } from './where.js';

/**
 * Selects the memories of a read (section 2.3). A memory must match every condition. A condition of `metadata` on a key
 * that the memory does not have is not met.
 */
export interface Filter {
  subjectKey?: SubjectKey;
  externalKey?: string;
  /** Conditions on metadata values, compared by type and value. Keys are distinct. */
  metadata: readonly MetadataCondition[];
  /** Conditions other than equality. Absent if there are none. */
  where?: readonly WhereCondition[];
}

export interface MetadataCondition {
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
  /** Operators and their operands by metadata key, or by `createdAt` or `updatedAt` for the times of the memory. */
  where?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface SubjectKeySettings {
  subjectKeyType?: SubjectKeyType;
}

const ALL_KEYS = ['subjectKey', ...FILTER_KEYS, 'match', 'where'].join(', ');
const MAX_KEYS = 20;

/** Reports if every memory matches. */
export function isEmptyFilter({ subjectKey, externalKey, metadata, where = [] }: Filter): boolean {
  return subjectKey === undefined && externalKey === undefined && metadata.length + where.length === 0;
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
  const { subjectKey, match, where, ...named } = asObject(wire, 'filter');
  const matches = Object.entries(match === undefined ? {} : asObject(match, 'filter.match'));
  const compared = Object.entries(where === undefined ? {} : asObject(where, 'filter.where'));
  const names = Object.entries(named).filter(([, value]) => value !== undefined);
  if (names.length + matches.length + compared.length + (subjectKey === undefined ? 0 : 1) > MAX_KEYS) {
    throw invalid('filter', `must have at most ${MAX_KEYS} keys, including those of match and where`);
  }
  const parsed = compared.map(([key, operators]) => parseWhereKey(key, operators, form));
  const others = parsed.flatMap((each) => each.where);
  const externalKey = matches.find(([key]) => key === 'externalKey')?.[1];
  const conditions = [
    ...names.map(([key, value]) => namedCondition(key, value, form)),
    ...matches.filter(([key]) => key !== 'externalKey').map(([key, value]) => matchCondition(key, value, form)),
    ...parsed.flatMap(({ equalities }) => equalities),
  ];
  return {
    ...(subjectKey !== undefined && { subjectKey: readSubjectKey(subjectKey, settings, form) }),
    ...(externalKey !== undefined && { externalKey: readExternalKey(externalKey) }),
    metadata: intersect(conditions),
    ...(others.length > 0 && { where: others }),
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
  return { key, anyOf: parseScalar(value, path, form) };
}

function matchCondition(key: string, value: unknown, form: FilterForm): MetadataCondition {
  assertFilterKey(key, 'filter.match');
  return { key, anyOf: parseScalar(value, `filter.match.${shortName(key)}`, form) };
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
