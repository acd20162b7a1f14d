import { type Document, resolve, type Schema } from './contract.js';

export interface Member {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/** Longer patterns say less than the description beside them. */
const MAX_PATTERN_LENGTH = 40;
/** Accepts some strings too, which its description lists. */
const BOOLEAN = '#/components/schemas/BooleanInput';

/** Joins the parts of a schema into one with all their members. */
export function flatten(document: Document, schema: Schema): Schema {
  const { allOf, ...own } = resolve(document, schema);
  if (!allOf) return own;
  const parts = [...allOf.map((part) => flatten(document, part)), own];
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  });
}

/** Lists what is inside of a schema: properties, values of free keys, choices. Lists are looked through. */
export function membersOf(document: Document, schema: Schema): Member[] {
  const { properties = {}, required = [], items, additionalProperties, anyOf = [] } = flatten(document, schema);
  if (items) return membersOf(document, items);
  const choices = anyOf.filter((choice) => membersOf(document, choice).length > 0);
  return [
    ...Object.entries(properties).map(([name, member]) => ({
      name,
      schema: member,
      isRequired: required.includes(name),
    })),
    ...(typeof additionalProperties === 'object'
      ? [{ name: 'any other key', schema: additionalProperties, isRequired: false }]
      : []),
    ...choices.map((choice, at) => ({ name: `or ${at + 1}`, schema: choice, isRequired: false })),
  ];
}

/** Says the type of a schema, such as `list of string`. */
export function typeWords(document: Document, schema: Schema): string {
  if (schema.$ref === BOOLEAN) return 'boolean';
  const { type, items, anyOf, enum: values, const: only, properties } = flatten(document, schema);
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items) return `list of ${typeWords(document, items)}`;
  if (anyOf) return [...new Set(anyOf.map((choice) => typeWords(document, choice)))].join(' | ');
  if (type !== undefined) return [type].flat().join(' | ');
  return properties ? 'object' : 'any';
}

/** Says the bounds of a value, such as `1 to 50 · default 10`. */
export function boundWords(document: Document, schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, format, ...rest } = flatten(
    document,
    schema,
  );
  const words = [
    range(minimum, maximum, ''),
    exclusiveMinimum !== undefined && `above ${exclusiveMinimum}`,
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    format,
    format === undefined && rest.pattern && rest.pattern.length <= MAX_PATTERN_LENGTH && rest.pattern,
    rest.default !== undefined && `default ${JSON.stringify(rest.default)}`,
  ];
  return words.filter(Boolean).join(' · ');
}

function range(low: number | undefined, high: number | undefined, unit: string): string | undefined {
  if (low === undefined && high === undefined) return undefined;
  if (high === undefined) return `at least ${low}${unit}`;
  return low === undefined ? `at most ${high}${unit}` : `${low} to ${high}${unit}`;
}
