/** A JSON Schema or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const MAX_DESCRIPTION_LENGTH = 90;

/** Keywords of a schema that a model needs. The service checks the others and reports what is wrong. */
const KEPT = ['type', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'default'] as const;

/** Replaces a reference by its target. Members beside the reference override those of the target. */
export function resolve(document: JsonSchema, node: unknown): JsonSchema {
  if (!isObject(node)) return {};
  const { $ref, ...own } = node;
  if (typeof $ref !== 'string') return node;
  const target = $ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document);
  if (!isObject(target)) throw new Error(`openapi.yaml does not have ${$ref}`);
  return { ...resolve(document, target), ...own };
}

/** Converts a schema to the input of a tool: resolves references, keeps one of several choices, shortens descriptions. */
export function toInputSchema(document: JsonSchema, node: unknown): JsonSchema {
  const schema = resolve(document, node);
  const { properties, items, required, description, anyOf } = schema;
  if (Array.isArray(anyOf) && properties === undefined) {
    const { type, enum: _, ...own } = schema;
    return { ...toInputSchema(document, anyOf[0]), ...pick(own), ...describe(description) };
  }
  return {
    ...pick(schema),
    ...describe(description),
    ...(isObject(properties) && { properties: saidOnce(properties, (each) => toInputSchema(document, each)) }),
    ...(Array.isArray(required) && { required }),
    ...(items !== undefined && { items: toInputSchema(document, items) }),
  };
}

/**
 * Converts a schema to the output of a tool: the possible members and their types, two levels deep. None is required,
 * because an error has other members.
 */
export function toOutputSchema(document: JsonSchema, node: unknown, levels = 2): JsonSchema {
  const schema = resolve(document, node);
  const { properties, items, type, allOf, anyOf } = schema;
  const parts = [allOf, anyOf].flatMap((choice) => (Array.isArray(choice) ? choice : []));
  if (parts.length > 0) {
    const merged = parts.map((part) => toOutputSchema(document, part, levels));
    return { type: 'object', properties: Object.assign({}, ...merged.map((part) => part.properties ?? {})) };
  }
  const below = (each: unknown) => toOutputSchema(document, each, levels - 1);
  return {
    ...(type !== undefined && { type }),
    ...(isObject(properties) && levels > 0 && { properties: mapValues(properties, below) }),
    ...(items !== undefined && { items: { type: resolve(document, items).type ?? 'object' } }),
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pick(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(KEPT.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]));
}

/** Drops a description that an earlier sibling already has. */
function saidOnce(
  properties: Record<string, unknown>,
  map: (value: unknown) => JsonSchema,
): Record<string, JsonSchema> {
  const said = new Set<unknown>();
  const entries = Object.entries(properties).map(([key, value]): [string, JsonSchema] => {
    const { description, ...schema } = map(value);
    const isNew = description !== undefined && !said.has(description);
    said.add(description);
    return [key, { ...schema, ...(isNew && { description }) }];
  });
  return Object.fromEntries(entries);
}

/** Shortens a description to its first sentences, at least one. */
function describe(description: unknown): JsonSchema {
  if (typeof description !== 'string') return {};
  const [first = '', ...rest] = description.trim().split(/(?<=[.:;]) +/);
  let text = first;
  for (const sentence of rest) {
    if (text.length + sentence.length > MAX_DESCRIPTION_LENGTH) break;
    text += ` ${sentence}`;
  }
  return { description: text.replace(/[;:]$/, '.') };
}

function mapValues(object: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
