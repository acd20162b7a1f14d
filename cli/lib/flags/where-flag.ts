import type { Filter, FilterOperators } from '@memory-service/sdk';
import { EXIT } from '../../exit-codes.js';
import { CommandError } from '../output/explain-error.js';
import { absoluteTime } from './time-flag.js';

type Where = NonNullable<Filter['where']>;
type Scalar = string | number | boolean | null;
type Operator = keyof FilterOperators;

const COMPARISON = /^([^=<>!]+?)\s*(!=|>=|<=|=|>|<)\s*(.*)$/s;
const LIST = /^([^=<>!]+?)\s+(!?in)\s+(.+)$/s;
const EXISTENCE = /^([^=<>!]+?)\s+(!?exists)$/s;

const COMPARISONS: Readonly<Record<string, Operator>> = {
  '=': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

/**
 * Parses `--where` values, such as `priority>=3`, `kind in note,page` or `owner !exists`. A value is JSON if it is a JSON
 * scalar, else text. The times of memories may be relative to now.
 *
 * @throws {CommandError} if a value has none of these forms, or a key has the same operator twice
 */
export function parseWhere(values: readonly string[], now = Date.now()): Where {
  return joinWhere(
    ...values.map((text): Where => {
      const [key, operators] = parseCondition(text, now);
      return { [key]: operators };
    }),
  );
}

/** Joins conditions. @throws {CommandError} if a key has the same operator twice */
export function joinWhere(...all: readonly Where[]): Where {
  const joined = new Map<string, FilterOperators>();
  for (const [key, operators] of all.flatMap((where) => Object.entries(where))) {
    const known = joined.get(key) ?? {};
    const twice = Object.keys(operators).find((operator) => operator in known);
    if (twice !== undefined) throw fault(`${JSON.stringify(key)} has the same comparison twice (${twice})`);
    joined.set(key, { ...known, ...operators });
  }
  return Object.fromEntries(joined);
}

function parseCondition(text: string, now: number): [key: string, FilterOperators] {
  const [, existing, exists] = EXISTENCE.exec(text) ?? [];
  if (existing !== undefined) return [existing.trim(), { exists: exists === 'exists' }];
  const [, listed, inList, list = ''] = LIST.exec(text) ?? [];
  if (listed !== undefined) {
    const values = list.split(',').map((value) => parseValue(listed.trim(), value.trim(), now));
    return [listed.trim(), inList === 'in' ? { in: values } : { nin: values }];
  }
  const [, key, sign = '', value = ''] = COMPARISON.exec(text) ?? [];
  const operator = COMPARISONS[sign];
  // A further sign is a mistake, such as ==. A value that begins with one can be quoted.
  if (key === undefined || operator === undefined || /^[=<>!]/.test(value)) {
    throw fault(
      `${JSON.stringify(text)} must be like priority>=3, "kind in note,page", "owner exists" or "owner !exists"`,
    );
  }
  return [key.trim(), { [operator]: parseValue(key.trim(), value, now) }];
}

function parseValue(key: string, text: string, now: number): Scalar {
  if (key === 'createdAt' || key === 'updatedAt') return absoluteTime(text, now);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? text : (value as Scalar);
  } catch {
    return text;
  }
}

function fault(message: string): CommandError {
  return new CommandError(message, { exit: EXIT.usage });
}
