/** The text has the table in a form that cannot be replaced safely. */
export class TomlTextError extends Error {
  override name = 'TomlTextError';
}

type TomlValue = string | Readonly<Record<string, string>>;

const BARE_KEY = /^[A-Za-z0-9_-]+$/;

/**
 * Sets a table such as `mcp_servers.memory` in a TOML text, with all of its sub-tables. Everything else in the text stays
 * as it is.
 *
 * @throws {TomlTextError} if the text defines the table by dotted keys or inline
 */
export function setTable(
  text: string,
  [parent, name]: readonly [string, string],
  values: Record<string, TomlValue>,
): string {
  const block = [
    `[${parent}.${keyOf(name)}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${valueText(value)}`),
  ];
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const statements = statementsOf(lines);
  const headers: Header[] = statements.filter(({ isHeader }) => isHeader);
  const isOwn = ({ path }: Header) => path[0] === parent && path[1] === name;
  assertReplaceable(statements, parent, name);
  const first = headers.findIndex(isOwn);
  if (first < 0) return `${[...lines, ...(lines.length > 0 ? [''] : []), ...block].join('\n')}\n`;
  const from = headers[first]?.line ?? 0;
  const after = headers.slice(first).find((header) => !isOwn(header));
  if (headers.some((header) => isOwn(header) && after !== undefined && header.line > after.line)) {
    throw new TomlTextError(`${parent}.${name} is in several places`);
  }
  // Comments and empty lines before the next table belong to that table.
  let to = after?.line ?? lines.length;
  while (to > from + 1 && /^\s*(?:#.*)?$/.test(lines[to - 1] ?? '')) to -= 1;
  return `${[...lines.slice(0, from), ...block, ...lines.slice(to)].join('\n')}\n`;
}

interface Header {
  line: number;
  path: string[];
}

/** A line outside of lists and texts of several lines: the header of a table, or a key with its value. */
interface Statement {
  line: number;
  isHeader: boolean;
  path: string[];
}

function statementsOf(lines: readonly string[]): Statement[] {
  const statements: Statement[] = [];
  let state: State = { depth: 0, quote: undefined };
  for (const [line, text] of lines.entries()) {
    const isOutside = state.depth === 0 && state.quote === undefined;
    const [, header] = (isOutside && /^\s*\[{1,2}([^[\]]+)\]{1,2}\s*(?:#.*)?$/.exec(text)) || [];
    const [, key] = (isOutside && /^\s*([^#=[\]]+)=/.exec(text)) || [];
    const name = header ?? key;
    if (name !== undefined) statements.push({ line, isHeader: header !== undefined, path: pathOf(name) });
    if (header === undefined) state = after(state, text);
  }
  return statements;
}

interface State {
  /** How many lists are open. */
  depth: number;
  /** The quotes of an open text of several lines. */
  quote: string | undefined;
}

function after({ depth, quote }: State, text: string): State {
  const state = { depth, quote };
  for (const [token] of text.matchAll(/"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|\\.|#.*|[[\]]/g)) {
    if (state.quote !== undefined) {
      if (token === state.quote) state.quote = undefined;
    } else if (token === '"""' || token === "'''") state.quote = token;
    else if (token === '[') state.depth += 1;
    else if (token === ']') state.depth = Math.max(0, state.depth - 1);
  }
  return state;
}

/** @throws {TomlTextError} if a key, and not a header, defines the table */
function assertReplaceable(statements: readonly Statement[], parent: string, name: string): void {
  let table: readonly string[] = [];
  for (const { isHeader, path } of statements) {
    if (isHeader) table = path;
    const [first, second] = [...table, ...path];
    const isInside = !isHeader && table.length < 2 && first === parent;
    if (isInside && (table.length === 0 || second === name)) {
      throw new TomlTextError(`${parent}.${name} is not a table of its own`);
    }
  }
}

/** Splits a dotted key. */
function pathOf(key: string): string[] {
  const parts = key.trim().matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g);
  return Array.from(parts, ([, double, single, bare]) => double ?? single ?? bare ?? '');
}

function keyOf(name: string): string {
  return BARE_KEY.test(name) ? name : JSON.stringify(name);
}

function valueText(value: TomlValue): string {
  // The escapes of JSON are also those of TOML.
  if (typeof value === 'string') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, text]) => `${keyOf(key)} = ${JSON.stringify(text)}`);
  return `{ ${members.join(', ')} }`;
}
