/** A JSON Schema or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

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

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
