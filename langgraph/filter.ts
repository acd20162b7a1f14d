import type { Filter, FilterOperators } from '@memory-service/sdk';
import { fieldKey, levelKey } from './item.js';
import { StoreLimitError } from './store-limit-error.js';

type Where = Record<string, FilterOperators>;
type Scalar = string | number | boolean | null;

/** Conditions that a filter of the service can have. */
const MAX_CONDITIONS = 20;
const OPERATORS: Readonly<Record<string, keyof FilterOperators>> = {
  $eq: 'eq',
  $ne: 'ne',
  $gt: 'gt',
  $gte: 'gte',
  $lt: 'lt',
  $lte: 'lte',
  $in: 'in',
  $nin: 'nin',
};

/**
 * Adds the namespace and the filter of a search to the filter of the store. Returns undefined if nothing can match.
 *
 * @throws {StoreLimitError} for a condition that the service does not have, or too many
 */
export function searchFilter(
  store: Filter,
  prefix: readonly string[],
  filter: Readonly<Record<string, unknown>> = {},
): Filter | undefined {
  const match = { ...store.match, ...Object.fromEntries(prefix.map((label, index) => [levelKey(index), label])) };
  const where: Where = {};
  for (const [name, condition] of Object.entries(filter)) {
    if (condition === undefined) continue;
    const operators = operatorsOf(name, condition);
    if (operators === 'nothing') return undefined;
    if (Object.keys(operators).length > 0) where[fieldKey(name)] = operators;
  }
  const named = Object.keys(store).filter((key) => key !== 'match').length;
  if (named + Object.keys(match).length + Object.keys(where).length > MAX_CONDITIONS) {
    throw new StoreLimitError(`a search has at most ${MAX_CONDITIONS} conditions, one for each level of the namespace`);
  }
  return { ...store, match, where };
}

/** Converts the condition on a field. `nothing` matches no item. @throws {StoreLimitError} */
function operatorsOf(name: string, condition: unknown): FilterOperators | 'nothing' {
  if (isScalar(condition)) return { eq: condition };
  if (typeof condition !== 'object' || Array.isArray(condition)) throw notComparable(name);
  const given = Object.entries(condition ?? {}).filter(([, operand]) => operand !== undefined);
  const entries = given.map(([operator, operand]) => [operatorOf(name, operator, operand), operand] as const);
  if (entries.some(([operator, operand]) => operator === 'in' && isEmptyList(operand))) return 'nothing';
  return Object.fromEntries(entries.filter(([, operand]) => !isEmptyList(operand)));
}

/** @throws {StoreLimitError} */
function operatorOf(name: string, operator: string, operand: unknown): keyof FilterOperators {
  const known = OPERATORS[operator];
  if (known === undefined) throw new StoreLimitError(`filter.${name}: ${operator} is not an operator`);
  const isList = known === 'in' || known === 'nin';
  const isValid = isList ? Array.isArray(operand) && operand.every(isScalar) : isScalar(operand);
  if (!isValid) throw notComparable(name);
  return known;
}

function isEmptyList(operand: unknown): boolean {
  return Array.isArray(operand) && operand.length === 0;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function notComparable(name: string): StoreLimitError {
  return new StoreLimitError(`filter.${name}: only strings, numbers, booleans and null can be compared`);
}
