import { invalid, shortName } from '../invalid.js';
import type { WireFilter } from './filter.js';

const NAME = /^filter((?:\[[^[\]]+\])+)$/;
const SHAPES = 'filter[key], filter[match][key] or filter[where][key][operator]';

/** A value, or the values of a group by name. */
type Named = Map<string, Named | string>;

/**
 * Parses a filter in brackets: `filter[kind]=note`, `filter[match][team]=x`, `filter[where][size][gte]=3`. Expects only
 * the decoded parameters of the filter.
 *
 * @throws {UnprocessableError} at the parameter, for a name of another form or a repeated name
 */
export function parseBracketFilter(entries: Iterable<[name: string, value: string]>): WireFilter {
  const filter: Named = new Map();
  for (const [name, value] of entries) {
    const path = NAME.exec(name)?.[1]?.slice(1, -1).split('][') ?? [];
    const key = path.pop();
    if (key === undefined || path.length !== groupsOf(path[0] ?? key)) {
      throw invalid(shortName(name), `must have the shape ${SHAPES}; else use filter=<JSON>`);
    }
    const group = path.reduce(groupIn, filter);
    if (group.has(key)) throw invalid(shortName(name), 'must be given once');
    group.set(key, value);
  }
  return toRecord(filter);
}

/** Returns the number of groups around a value whose name begins with this key. */
function groupsOf(first: string): number {
  if (first === 'where') return 2;
  return first === 'match' ? 1 : 0;
}

function groupIn(group: Named, key: string): Named {
  const known = group.get(key);
  if (known instanceof Map) return known;
  const made: Named = new Map();
  group.set(key, made);
  return made;
}

/**
 * Parses the JSON of `filter=`. `parseFilter` validates the value.
 *
 * @throws {UnprocessableError} at `filter`, if it is not JSON
 */
export function parseJsonFilter(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('filter', 'must be JSON, URL-encoded');
  }
}

/** Returns objects without a prototype, so that even the key `__proto__` is plain data. */
function toRecord(named: Named): Record<string, never> {
  const record: Record<string, unknown> = Object.create(null);
  for (const [key, value] of named) record[key] = value instanceof Map ? toRecord(value) : value;
  return record as Record<string, never>;
}
