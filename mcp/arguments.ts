import type { ArgumentType } from './contract.js';
import { isObject } from './json-schema.js';
import { DEFAULT_MAX_CHARS, MAX_CHARS } from './size.js';
import type { CatalogEntry } from './tools/catalog.js';

/** The arguments of a tool, in the form that its operation accepts. */
export interface ToolArguments {
  /** Arguments of the operation. `maxChars` and `offset` belong to the tool alone. */
  input: Readonly<Record<string, unknown>>;
  maxChars: number;
  offset: number;
}

/** The arguments are not valid. The message has the form of a validation error of the service. */
export class ArgumentError extends Error {
  override name = 'ArgumentError';
  readonly code = 'validation_failed';

  /** @param hint next step of the model */
  constructor(
    readonly path: string,
    readonly reason: string,
    readonly hint?: string,
  ) {
    super(`${path} ${reason}`);
  }
}

/**
 * Reads the arguments of a call. Models sometimes write numbers, booleans, objects and lists as text. Text with only one
 * possible meaning is converted. The service validates the values.
 *
 * @throws {ArgumentError} if an argument is unknown or missing, or `maxChars` or `offset` is out of bounds
 */
export function readArguments(
  entry: Pick<CatalogEntry, 'tool' | 'properties' | 'required'>,
  given: Readonly<Record<string, unknown>>,
): ToolArguments {
  const { properties, required } = entry;
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!schema) throw unknownArgument(entry, name.slice(0, 64));
    read[name] = loosen(schema, value);
    assertFinite(read[name], name.slice(0, 64));
  }
  const missing = required.find((name) => read[name] === undefined);
  if (missing !== undefined) throw new ArgumentError(missing, 'is required', argumentsHint(entry));
  const { maxChars, offset, ...input } = read;
  if (typeof input.id !== 'string' && 'id' in input) throw new ArgumentError('id', 'must be a string');
  return {
    input,
    maxChars: integer('maxChars', maxChars, DEFAULT_MAX_CHARS, MAX_CHARS.minimum, MAX_CHARS.maximum),
    offset: integer('offset', offset, 0, 0, Number.MAX_SAFE_INTEGER),
  };
}

/** Names that models use for an argument, besides those that resemble it. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  content: ['text', 'memory', 'message', 'fact', 'value', 'data'],
  externalKey: ['key'],
  filter: ['filters', 'conditions', 'where', 'match'],
  id: ['memoryid', 'uuid'],
  items: ['memories', 'batch'],
  limit: ['k', 'n', 'topk', 'count', 'size', 'max', 'maxresults', 'pagesize'],
  metadata: ['tags', 'labels', 'meta', 'attributes'],
  query: ['q', 'text', 'search', 'question', 'prompt', 'input', 'keywords', 'topic'],
  since: ['after', 'from', 'updatedafter', 'date'],
  subjectKey: ['user', 'userid', 'subject', 'entity', 'person', 'about'],
};

/** Returns the error for an argument that a tool does not have. It names the argument that was probably meant. */
function unknownArgument(entry: Pick<CatalogEntry, 'tool' | 'properties'>, name: string): ArgumentError {
  const plain = plainName(name);
  const names = Object.keys(entry.properties);
  const meant =
    names.find((each) => plainName(each) === plain) ??
    names.find((each) => ALIASES[each]?.some((alias) => plainName(alias) === plain));
  const reason = meant === undefined ? `is not an argument of ${entry.tool.name}` : `is not an argument, ${meant} is`;
  return new ArgumentError(name, reason, argumentsHint(entry));
}

function argumentsHint({ tool, properties }: Pick<CatalogEntry, 'tool' | 'properties'>): string {
  const names = Object.keys(properties);
  return names.length === 0 ? `${tool.name} takes no arguments.` : `${tool.name} takes ${names.join(', ')}.`;
}

/** Returns a name in lower case, without separators and a plural ending. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/(?<=..)s$/, '');
}

/** Rejects infinite numbers. JSON has none: 1e400 would be sent as null. */
function assertFinite(value: unknown, path: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ArgumentError(path, 'must be within ±9007199254740991: send a larger number as a string');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) assertFinite(child, `${path}.${key.slice(0, 64)}`);
}

/** @throws {ArgumentError} if the value is not an integer within the bounds */
export function integer(name: string, value: unknown, fallback: number, min: number, max: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new ArgumentError(name, `must be an integer from ${min} to ${max}`);
}

function loosen({ type }: ArgumentType, value: unknown): unknown {
  if (typeof value === 'string') return loosenText(type, value);
  if (type === 'array' && isObject(value)) return [value];
  return type === 'string' && typeof value === 'number' ? String(value) : value;
}

function loosenText(type: unknown, text: string): unknown {
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (type === 'boolean') return ['true', 'false'].includes(text) ? text === 'true' : text;
  if (type === 'array') return parsed(text, Array.isArray);
  return type === 'object' ? parsed(text, isObject) : text;
}

/** Parses a text as JSON. Returns the text itself if the value has another type. */
function parsed(text: string, isWanted: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWanted(value) ? value : text;
  } catch {
    return text;
  }
}
