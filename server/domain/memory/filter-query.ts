import { invalid, shortName } from '../invalid.js';
import type { WireFilter } from './filter.js';
import type { Scalar } from './scalar.js';

const NAME = /^filter\[([^[\]]+)\](?:\[([^[\]]+)\])?$/;

/**
 * Parses a filter in brackets: `filter[kind]=note`, `filter[match][team]=x`. Expects only the decoded parameters of the
 * filter.
 *
 * @throws {UnprocessableError} at the parameter, for a name of another form or a repeated name
 */
export function parseBracketFilter(entries: Iterable<[name: string, value: string]>): WireFilter {
  const named = new Map<string, string>();
  const match = new Map<string, string>();
  for (const [name, value] of entries) {
    const [, key = '', inner] = NAME.exec(name) ?? [];
    if (key === '' || (key === 'match') !== (inner !== undefined)) {
      throw invalid(shortName(name), 'must have the shape filter[key] or filter[match][key]; else use filter=<JSON>');
    }
    const [group, own] = inner === undefined ? [named, key] : [match, inner];
    if (group.has(own)) throw invalid(shortName(name), 'must be given once');
    group.set(own, value);
  }
  return match.size === 0 ? toRecord(named) : { ...toRecord(named), match: toRecord<Scalar>(match) };
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

/** Returns an object without a prototype, so that even the key `__proto__` is plain data. */
function toRecord<Value>(map: ReadonlyMap<string, Value>): Record<string, Value> {
  const record: Record<string, Value> = Object.create(null);
  for (const [key, value] of map) record[key] = value;
  return record;
}
