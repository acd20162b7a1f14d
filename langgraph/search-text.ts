import { toStorable } from './storable.js';

type Value = Readonly<Record<string, unknown>>;

const PART = /\[(\*|-?\d+)\]|([^.[\]]+)/g;

/**
 * Returns the texts of the fields by which an item is found.
 *
 * @param fields paths such as `text`, `meta.title`, `chapters[*].content`, `authors[-1].name`; `$` is the whole value
 */
export function searchText(value: Value, fields: readonly string[]): string {
  const texts = fields.flatMap((field) => (field === '$' ? [JSON.stringify(value)] : textsAt(value, partsOf(field))));
  return toStorable(texts.join('\n')).trim();
}

/** @throws {TypeError} for a path with other characters */
function partsOf(field: string): string[] {
  const parts = Array.from(field.matchAll(PART), ([, index, name]) => (index === undefined ? `${name}` : `[${index}]`));
  const isWhole = field.replaceAll(PART, '').replaceAll('.', '') === '';
  if (parts.length === 0 || !isWhole) throw new TypeError(`the path of an indexed field is not valid: ${field}`);
  return parts;
}

function textsAt(value: unknown, [part, ...rest]: readonly string[]): string[] {
  if (part === undefined) return textOf(value);
  if (!part.startsWith('[')) return textsAt(memberOf(value, part), rest);
  if (!Array.isArray(value)) return [];
  const chosen = part === '[*]' ? value : [value.at(Number(part.slice(1, -1)))];
  return chosen.flatMap((each) => textsAt(each, rest));
}

function textOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
