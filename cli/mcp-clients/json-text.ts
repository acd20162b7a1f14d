/** A value in a JSON text, with its place. */
interface Node {
  start: number;
  end: number;
  value: unknown;
  /** Set if the value is an object. */
  members?: Member[];
}

interface Member {
  key: string;
  /** Start of the key, with its quotes. */
  start: number;
  node: Node;
}

/** The text is not JSON, or does not have the expected form. */
export class JsonTextError extends Error {
  override name = 'JsonTextError';
}

const DEFAULT_INDENT = '  ';
const LITERALS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** Parses JSON that may have comments and trailing commas. @throws {JsonTextError} */
export function parseJsonText(text: string): unknown {
  return new Reader(text).read().value;
}

/**
 * Sets a member of nested objects in a JSON text. Everything else in the text stays as it is, comments included. Missing
 * objects are added. An empty text counts as an empty object.
 *
 * @throws {JsonTextError} if the text is not JSON, or a part of the path is not an object
 */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  const whole = text.trim() === '' ? '{}\n' : text;
  const root = new Reader(whole).read();
  const unit = indentOf(whole, root);
  let at = root;
  for (const [depth, key] of path.entries()) {
    if (!at.members) throw new JsonTextError(`${path.slice(0, depth).join('.') || 'the file'} is not an object`);
    // The last of several equal keys counts, as in JSON.parse.
    const found = at.members.findLast((member) => member.key === key);
    const rest = path.slice(depth + 1);
    if (!found) return insert(whole, at, { key, value: nested(rest, value), indent: unit.repeat(depth + 1), unit });
    if (rest.length === 0) return replace(whole, found.node, format(value, unit, unit.repeat(depth + 1)));
    at = found.node;
  }
  return whole;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function format(value: unknown, unit: string, indent: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `\n${indent}`);
}

function replace(text: string, { start, end }: Pick<Node, 'start' | 'end'>, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function insert(
  text: string,
  object: Node,
  { key, value, indent, unit }: { key: string; value: unknown; indent: string; unit: string },
): string {
  const member = `${indent}${JSON.stringify(key)}: ${format(value, unit, indent)}`;
  const last = object.members?.at(-1);
  const closing = indent.slice(unit.length);
  if (!last) {
    const inside = text.slice(object.start + 1, object.end - 1).trimEnd();
    return replace(text, { start: object.start + 1, end: object.end - 1 }, `${inside}\n${member}\n${closing}`);
  }
  const rest = text.slice(last.node.end, object.end - 1);
  const comma = new Reader(rest).hasComma() ? '' : ',';
  const before = text.slice(0, last.node.end) + comma + rest.trimEnd();
  return `${before}\n${member}\n${closing}${text.slice(object.end - 1)}`;
}

/** Returns the indentation of the members of the outermost object. */
function indentOf(text: string, { members = [] }: Node): string {
  const first = members[0];
  const line = first && text.slice(text.lastIndexOf('\n', first.start) + 1, first.start);
  return line !== undefined && /^[ \t]+$/.test(line) ? line : DEFAULT_INDENT;
}

/** Reads JSON with comments and trailing commas, which the settings of several clients may have. */
class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): Node {
    // Some editors write a byte order mark.
    if (this.text.startsWith('\ufeff')) this.at = 1;
    this.skip();
    const node = this.readValue();
    this.skip();
    if (this.at < this.text.length) throw this.fault();
    return node;
  }

  /** Reports if a comma follows, after white space and comments. */
  hasComma(): boolean {
    this.skip();
    return this.text[this.at] === ',';
  }

  private readValue(): Node {
    const start = this.at;
    const first = this.text[start];
    if (first === '{') return this.readObject(start);
    const value = first === '[' ? this.readArray() : first === '"' ? this.readString() : this.readLiteral();
    return { start, end: this.at, value };
  }

  private readObject(start: number): Node {
    const members: Member[] = [];
    this.readList('}', () => {
      const keyStart = this.at;
      if (this.text[keyStart] !== '"') throw this.fault();
      const key = this.readString();
      this.skip();
      this.take(':');
      this.skip();
      members.push({ key, start: keyStart, node: this.readValue() });
    });
    const value = Object.fromEntries(members.map(({ key, node }) => [key, node.value]));
    return { start, end: this.at, value, members };
  }

  private readArray(): unknown[] {
    const values: unknown[] = [];
    this.readList(']', () => values.push(this.readValue().value));
    return values;
  }

  private readList(close: string, readItem: () => void): void {
    this.at += 1;
    for (;;) {
      this.skip();
      if (this.text[this.at] === close) break;
      readItem();
      this.skip();
      if (this.text[this.at] !== ',') break;
      this.at += 1;
    }
    this.take(close);
  }

  private readString(): string {
    const [found] = /^"(?:[^"\\\n]|\\.)*"/.exec(this.text.slice(this.at)) ?? [];
    return this.parsed(found) as string;
  }

  private readLiteral(): unknown {
    const [found = ''] = /^[-+.\w]+/.exec(this.text.slice(this.at, this.at + 64)) ?? [];
    if (Object.hasOwn(LITERALS, found)) {
      this.at += found.length;
      return LITERALS[found];
    }
    return this.parsed(found);
  }

  private parsed(found: string | undefined): unknown {
    try {
      const value: unknown = JSON.parse(found ?? '');
      this.at += found?.length ?? 0;
      return value;
    } catch {
      throw this.fault();
    }
  }

  private take(character: string): void {
    if (this.text[this.at] !== character) throw this.fault();
    this.at += 1;
  }

  /** Skips white space and comments. */
  private skip(): void {
    const pattern = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    pattern.lastIndex = this.at;
    pattern.exec(this.text);
    this.at = pattern.lastIndex;
  }

  private fault(): JsonTextError {
    const line = this.text.slice(0, this.at).split('\n').length;
    return new JsonTextError(`line ${line} is not valid JSON`);
  }
}
