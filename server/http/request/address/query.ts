import type { WireFilter } from '../../../domain/filter/filter.js';
import { parseBracketFilter, parseJsonFilter } from '../../../domain/filter/filter-query.js';
import { invalid, shortName } from '../../../domain/invalid.js';
import { UnprocessableError } from '../../../errors.js';
import type { Operation } from '../../contract/contract.js';
import type { QueryFilter } from '../../contract/route.js';
import { assertNoNullIn, holdsNull } from '../body/null-character.js';

const MAX_QUERY_BYTES = 8_192;
/** Matches `[kind]` in `filter[kind]`, which errors name `filter.kind`. */
const BRACKETED = /\[([^\]]*)\]/g;
const INTEGER = /^-?\d{1,15}$/;

interface ParsedQuery {
  /** Unchecked values: texts, numbers for integer parameters, and JSON for some filters. */
  query: Record<string, unknown>;
  filter: QueryFilter | undefined;
}

/**
 * Parses the query string of an operation. Each name may occur once. A filter may have either form. Operations
 * without a credential or parameters ignore the query string.
 *
 * @throws {UnprocessableError}
 */
export function parseQuery(text: string, operation: Operation): ParsedQuery {
  if (text === '' || isQueryIgnored(operation)) return { query: {}, filter: undefined };
  assertReadable(text);
  const brackets: [string, string][] = [];
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (holdsNull(name)) throw new UnprocessableError('The query string must not contain the character U+0000');
    assertNoNullIn(value, shortName(name.replaceAll(BRACKETED, '.$1')));
    if (name.startsWith('filter[') && operation.queryParameters.has('filter')) {
      brackets.push([name, value]);
      continue;
    }
    if (Object.hasOwn(query, name)) throw invalid(shortName(name), 'must be given once');
    query[name] = operation.integerParameters.has(name) && INTEGER.test(value) ? Number(value) : value;
  }
  const { filter } = query;
  if (typeof filter !== 'string') return { query, filter: readBrackets(brackets) };
  if (brackets.length > 0) throw invalid('filter', 'must be either JSON or in brackets, not both');
  const wire = parseJsonFilter(filter);
  assertNoNullIn(wire, 'filter');
  query.filter = wire;
  return { query, filter: { wire: wire as WireFilter, form: 'json' } };
}

function isQueryIgnored({ abilities, queryParameters }: Operation): boolean {
  return !abilities && queryParameters.size === 0;
}

function readBrackets(entries: [string, string][]): QueryFilter | undefined {
  return entries.length === 0 ? undefined : { wire: parseBracketFilter(entries), form: 'brackets' };
}

function assertReadable(text: string): void {
  if (text.length > MAX_QUERY_BYTES) {
    throw new UnprocessableError(`The query string must be at most ${MAX_QUERY_BYTES} bytes`);
  }
  try {
    decodeURIComponent(text);
  } catch {
    throw new UnprocessableError('The query string must be percent-encoded UTF-8');
  }
}
