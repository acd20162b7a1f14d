import type { MemoryRecord } from './record.js';
import { invalid } from './refusal.js';
import { assertExact, assertFields, isObject } from './validate.js';

const OPERATORS = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists'] as const;
type Operator = (typeof OPERATORS)[number];

/** Reports if a value meets an operator. `undefined` is a missing key. */
const MEETS: Readonly<Record<Operator, (value: unknown, operand: unknown) => boolean>> = {
  eq: (value, operand) => value === operand,
  ne: (value, operand) => value !== operand,
  in: (value, operand) => [operand].flat().includes(value),
  nin: (value, operand) => ![operand].flat().includes(value),
  gt: (value, operand) => orderOf(value, operand) > 0,
  gte: (value, operand) => orderOf(value, operand) >= 0,
  lt: (value, operand) => orderOf(value, operand) < 0,
  lte: (value, operand) => orderOf(value, operand) <= 0,
  exists: (value, operand) => (value !== undefined) === operand,
};

/** Parses the `where` of a filter. @throws {Refusal} */
export function readWhere(where: unknown): (record: MemoryRecord) => boolean {
  if (!isObject(where)) throw invalid('filter.where', 'must be a JSON object');
  assertExact(where, 'filter.where');
  const conditions = Object.entries(where).flatMap(([key, operators]) => readOperators(key, operators));
  return (record) => conditions.every((isMet) => isMet(record));
}

function readOperators(key: string, operators: unknown): ((record: MemoryRecord) => boolean)[] {
  const path = `filter.where.${key}`;
  assertFields(operators, OPERATORS, path);
  const given = Object.entries(operators);
  if (given.length === 0) throw invalid(path, 'must have an operator');
  if (key === 'externalKey') throw invalid(path, 'is not a metadata key');
  const time = key === 'createdAt' || key === 'updatedAt' ? key : undefined;
  return given.map(([name, operand]) => {
    const operator = name as Operator;
    assertOperand(operator, operand, `${path}.${name}`);
    if (time === undefined) {
      return ({ metadata }) => MEETS[operator](Object.hasOwn(metadata, key) ? metadata[key] : undefined, operand);
    }
    const times = operator === 'exists' ? operand : timesOf(operand, `${path}.${name}`);
    return (record) => MEETS[operator](record[time], times);
  });
}

function assertOperand(operator: Operator, operand: unknown, path: string): void {
  const isList = operator === 'in' || operator === 'nin';
  if (isList !== Array.isArray(operand)) throw invalid(path, isList ? 'must be a list' : 'must be one value');
  if (operator === 'exists' && typeof operand !== 'boolean') throw invalid(path, 'must be true or false');
  const isOrdered = typeof operand === 'number' || typeof operand === 'string';
  if (/^[gl]t/.test(operator) && !isOrdered) throw invalid(path, 'must be a number or a string');
}

/** Returns times in microseconds. */
function timesOf(operand: unknown, path: string): unknown {
  if (Array.isArray(operand)) return operand.map((each) => timesOf(each, path));
  const milliseconds = typeof operand === 'string' ? Date.parse(operand) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw invalid(path, 'must be an ISO 8601 time');
  const [, digits = ''] = /\.\d{3}(\d{1,3})/.exec(String(operand)) ?? [];
  return milliseconds * 1_000 + Number(digits.padEnd(3, '0'));
}

/** Returns a negative number, zero or a positive number; NaN for values of different types or without an order. */
function orderOf(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') return Number.NaN;
  const [points, others] = [Array.from(one), Array.from(other)];
  const at = points.findIndex((point, index) => point !== others[index]);
  const codeOf = (text: string | undefined) => text?.codePointAt(0) ?? -1;
  return at < 0 ? points.length - others.length : codeOf(points[at]) - codeOf(others[at]);
}
