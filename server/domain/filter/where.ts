import { invalid, shortName } from '../invalid.js';
import type { Memory } from '../memory/memory.js';
import { isScalar, type Scalar } from '../memory/scalar.js';
import { type Microseconds, parseTimestamp } from '../timestamp.js';
import type { MetadataCondition } from './filter.js';
import { asObject, assertFilterKey, type FilterForm, parseScalar } from './filter-values.js';

/** The fields of a memory that `where` compares as times. A metadata key of that name is only reachable by `match`. */
const TIME_FIELDS = ['createdAt', 'updatedAt'] as const;
export type TimeField = (typeof TIME_FIELDS)[number];

/** A value with an order. Numbers are compared with numbers, strings with strings by code point. */
export type Ordered = string | number;

export interface Bound {
  value: Ordered;
  inclusive: boolean;
}

/** The values of a key that are of the bounds' type and between them. Has at least one bound; both have one type. */
export interface RangeCondition {
  kind: 'range';
  key: string;
  above?: Bound;
  below?: Bound;
}

/** Matches memories without any of these values, including memories that lack the key. */
export interface NoneOfCondition {
  kind: 'noneOf';
  key: string;
  values: readonly Scalar[];
}

export interface ExistsCondition {
  kind: 'exists';
  key: string;
  exists: boolean;
}

/** A time of the memory must meet each of these. */
export interface TimeCondition {
  kind: 'time';
  field: TimeField;
  /** Inclusive. */
  from?: Microseconds;
  /** Exclusive. */
  before?: Microseconds;
  anyOf?: readonly Microseconds[];
  noneOf?: readonly Microseconds[];
}

/** A condition of `where` that is not an equality. */
export type WhereCondition = RangeCondition | NoneOfCondition | ExistsCondition | TimeCondition;

const OPERATORS = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists'] as const;
type Operator = (typeof OPERATORS)[number];

const MAX_VALUES = 100;

interface ParsedWhere {
  equalities: MetadataCondition[];
  where: WhereCondition[];
}

/** Parses the conditions of one key. @throws {UnprocessableError} at the invalid operator */
export function parseWhereKey(key: string, wire: unknown, form: FilterForm): ParsedWhere {
  const path = `filter.where.${shortName(key)}`;
  assertFilterKey(key, 'filter.where');
  if (key === 'externalKey') throw invalid(path, 'is not a metadata key: put it under match');
  const operators = Object.entries(asObject(wire, path)).filter(([, value]) => value !== undefined);
  if (operators.length === 0) throw invalid(path, `must have an operator (${OPERATORS.join(', ')})`);
  const parsed = operators.map(([name, value]): [Operator, readonly unknown[], string] => {
    const operator = OPERATORS.find((each) => each === name);
    const at = `${path}.${shortName(name)}`;
    if (!operator) throw invalid(at, `is not an operator (${OPERATORS.join(', ')})`);
    return [operator, operandsOf(operator, value, at, form), at];
  });
  const field = TIME_FIELDS.find((each) => each === key);
  if (field) return { equalities: [], where: timeConditions(field, parsed) };
  const ranges: RangeCondition[] = [];
  const [equalities, where]: [MetadataCondition[], WhereCondition[]] = [[], []];
  for (const [operator, operands, at] of parsed) {
    if (operator === 'exists') where.push({ kind: 'exists', key, exists: operands[0] === true });
    else if (isComparison(operator)) ranges.push({ kind: 'range', key, ...bound(operator, operands[0], at, form) });
    else {
      const values = operands.flatMap((operand) => parseScalar(operand, at, form));
      if (operator === 'eq' || operator === 'in') equalities.push({ key, anyOf: values });
      else where.push({ kind: 'noneOf', key, values });
    }
  }
  return { equalities, where: [...joined(ranges), ...where] };
}

/** Returns the operands of an operator, one for all but `in` and `nin`. */
function operandsOf(operator: Operator, value: unknown, path: string, form: FilterForm): readonly unknown[] {
  if (operator === 'exists') {
    const exists = form === 'brackets' ? { true: true, false: false }[String(value)] : value;
    if (typeof exists !== 'boolean') throw invalid(path, 'must be true or false');
    return [exists];
  }
  if (operator !== 'in' && operator !== 'nin') return [value];
  const values: unknown = form === 'brackets' && typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(values) || values.length === 0 || values.length > MAX_VALUES) {
    throw invalid(path, `must be a list of 1 to ${MAX_VALUES} values`);
  }
  return values;
}

type Comparison = 'gt' | 'gte' | 'lt' | 'lte';

function isComparison(operator: Operator): operator is Comparison {
  return ['gt', 'gte', 'lt', 'lte'].includes(operator);
}

/** In brackets, a text that is a number is compared with numbers only. */
function bound(
  operator: Comparison,
  operand: unknown,
  path: string,
  form: FilterForm,
): Pick<RangeCondition, 'above' | 'below'> {
  const values = parseScalar(operand, path, form);
  const value = values.find((each) => typeof each === 'number') ?? values[0];
  if (typeof value !== 'number' && typeof value !== 'string') throw invalid(path, 'must be a number or a string');
  const own = { value, inclusive: operator.endsWith('e') };
  return operator.startsWith('g') ? { above: own } : { below: own };
}

/** Joins a lower and an upper bound of one type, so that a store reads only the values between them. */
function joined(ranges: readonly RangeCondition[]): RangeCondition[] {
  const rest = [...ranges];
  const lower = rest.find(({ above }) => above);
  const upper = rest.find(({ below }) => below && typeof below.value === typeof lower?.above?.value);
  if (!lower || !upper) return rest;
  return [{ ...lower, ...upper }, ...rest.filter((range) => range !== lower && range !== upper)];
}

type TimeBounds = Omit<TimeCondition, 'kind' | 'field'>;

const TIME_BOUNDS: Readonly<Record<Exclude<Operator, 'exists'>, (times: readonly Microseconds[]) => TimeBounds>> = {
  eq: (anyOf) => ({ anyOf }),
  in: (anyOf) => ({ anyOf }),
  ne: (noneOf) => ({ noneOf }),
  nin: (noneOf) => ({ noneOf }),
  gt: ([time = 0]) => ({ from: time + 1 }),
  gte: ([from = 0]) => ({ from }),
  lt: ([before = 0]) => ({ before }),
  lte: ([time = 0]) => ({ before: time + 1 }),
};

/** Returns one condition, or none if every time meets it. */
function timeConditions(
  field: TimeField,
  operators: readonly (readonly [Operator, readonly unknown[], string])[],
): TimeCondition[] {
  const all = operators.flatMap(([operator, operands, path]): TimeBounds[] => {
    // Every memory has both times.
    if (operator === 'exists') return operands[0] === true ? [] : [{ anyOf: [] }];
    return [TIME_BOUNDS[operator](operands.map((operand) => parseTime(operand, path)))];
  });
  return all.length === 0 ? [] : [{ kind: 'time', field, ...all.reduce(narrowed) }];
}

function narrowed(one: TimeBounds, other: TimeBounds): TimeBounds {
  const from = Math.max(one.from ?? Number.NEGATIVE_INFINITY, other.from ?? Number.NEGATIVE_INFINITY);
  const before = Math.min(one.before ?? Number.POSITIVE_INFINITY, other.before ?? Number.POSITIVE_INFINITY);
  const anyOf =
    one.anyOf && other.anyOf ? one.anyOf.filter((at) => other.anyOf?.includes(at)) : (one.anyOf ?? other.anyOf);
  const noneOf = [...(one.noneOf ?? []), ...(other.noneOf ?? [])];
  return {
    ...(Number.isFinite(from) && { from }),
    ...(Number.isFinite(before) && { before }),
    ...(anyOf && { anyOf }),
    ...(noneOf.length > 0 && { noneOf }),
  };
}

function parseTime(operand: unknown, path: string): Microseconds {
  return parseTimestamp(typeof operand === 'string' ? operand : '', path);
}

/** Reports if a memory meets a condition. */
export function meetsWhere(
  { metadata, ...times }: Pick<Memory, 'metadata' | TimeField>,
  condition: WhereCondition,
): boolean {
  if (condition.kind === 'time') {
    const { from = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, anyOf, noneOf } = condition;
    const at = times[condition.field];
    return at >= from && at < before && anyOf?.includes(at) !== false && noneOf?.includes(at) !== true;
  }
  const value = Object.hasOwn(metadata, condition.key) ? metadata[condition.key] : undefined;
  if (condition.kind === 'exists') return (value !== undefined) === condition.exists;
  if (condition.kind === 'noneOf') return !isScalar(value) || !condition.values.includes(value);
  return isOrdered(value) && isAbove(value, condition.above) && isAbove(value, condition.below, -1);
}

function isOrdered(value: unknown): value is Ordered {
  return typeof value === 'number' || typeof value === 'string';
}

function isAbove(value: Ordered, bound: Bound | undefined, direction: 1 | -1 = 1): boolean {
  if (!bound) return true;
  const order = compareValues(value, bound.value);
  return order !== undefined && (order === 0 ? bound.inclusive : order * direction > 0);
}

/** Compares numbers, or strings by code point. Returns undefined for different types. */
function compareValues(one: Ordered, other: Ordered): number | undefined {
  if (typeof one === 'string' && typeof other === 'string') {
    // The order of UTF-8 is that of code points. JavaScript compares UTF-16 units.
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return typeof one === 'number' && typeof other === 'number' ? one - other : undefined;
}
