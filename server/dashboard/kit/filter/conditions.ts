import type { Filter } from '@memory-service/sdk';

/** How the value of a condition is read. 1 is not "1". */
export type ValueType = 'text' | 'number' | 'boolean' | 'null';

/** One row of the filter editor. */
export interface Condition {
  key: string;
  type: ValueType;
  value: string;
}

type Scalar = NonNullable<Filter['match']>[string];

/** Keys of a filter that are not in `match`. Their values are strings, except that a subject key may be a number. */
export const NAMED_KEYS = ['source', 'kind', 'project', 'subjectKey', 'documentId', 'agentId', 'surface'] as const;

type NamedKey = (typeof NAMED_KEYS)[number];

export function isNamed(key: string): key is NamedKey {
  return NAMED_KEYS.some((name) => name === key);
}

/** Lists the types that the value of a key may have. */
export function typesOf(key: string): readonly ValueType[] {
  if (key === 'subjectKey') return ['text', 'number'];
  return isNamed(key) || key === 'externalKey' ? ['text'] : ['text', 'number', 'boolean', 'null'];
}

/** Lists the equalities of a filter. The editor shows no others. */
export function conditionsOf({ match, where: _, ...named }: Filter): Condition[] {
  return [...Object.entries(named), ...Object.entries(match ?? {})].flatMap(([key, value]) =>
    value === undefined ? [] : [conditionOf(key, value)],
  );
}

/** Builds the filter of all complete conditions. The last condition on a key counts. */
export function filterOf(conditions: readonly Condition[]): Filter {
  const values = conditions.flatMap((condition) => {
    const value = scalarOf(condition);
    return condition.key === '' || value === undefined ? [] : [[condition.key, value] as const];
  });
  const match = Object.fromEntries(values.filter(([key]) => !isNamed(key)));
  const named: Filter = Object.fromEntries(values.filter(([key]) => isNamed(key)));
  return Object.keys(match).length === 0 ? named : { ...named, match };
}

/** Reads a filter from an address. Anything but a filter counts as none. */
export function parseFilter(text: string): Filter {
  try {
    const value: unknown = JSON.parse(text);
    return isFilter(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns the text of a filter in an address: empty without conditions. */
export function filterText(filter: Filter): string {
  return Object.keys(filter).length === 0 ? '' : JSON.stringify(filter);
}

/** Says what a filter selects, such as `kind = note`. */
export function filterWords(filter: Filter): string {
  const equalities = conditionsOf(filter).map(({ key, type, value }) => `${key} = ${type === 'null' ? 'null' : value}`);
  return [...equalities, ...comparisonsOf(filter).map(({ words }) => words)].join(', ');
}

const SIGNS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '≠',
  nin: 'not in',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
};

/** Says what each key of `where` must meet, such as `priority ≥ 3`. */
export function comparisonsOf({ where = {} }: Filter): { key: string; words: string }[] {
  return Object.entries(where).map(([key, operators]) => {
    const words = Object.entries(operators).map(([operator, operand]) => {
      if (operator === 'exists') return `${key} ${operand === true ? 'exists' : 'does not exist'}`;
      return `${key} ${SIGNS[operator] ?? operator} ${[operand].flat().map(String).join(' or ')}`;
    });
    return { key, words: words.join(' and ') };
  });
}

/** Returns the value of a condition, or undefined while it is incomplete. */
function scalarOf({ type, value }: Condition): Scalar | undefined {
  if (type === 'null') return null;
  if (type === 'boolean') return value === 'true';
  if (value === '') return undefined;
  if (type === 'text') return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function conditionOf(key: string, value: Scalar): Condition {
  if (value === null) return { key, type: 'null', value: '' };
  if (typeof value === 'boolean') return { key, type: 'boolean', value: String(value) };
  return { key, type: typeof value === 'number' ? 'number' : 'text', value: String(value) };
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, part]) => {
    if (key === 'match') return isObject(part) && Object.values(part).every(isScalar);
    if (key === 'where') return isObject(part) && Object.values(part).every(areOperators);
    return isNamed(key) && (typeof part === 'string' || (key === 'subjectKey' && typeof part === 'number'));
  });
}

function areOperators(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((operand) => [operand].flat().every(isScalar));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
