import type { OpenApi } from '@hey-api/openapi-ts';

type Node = Record<string, unknown>;

/**
 * Adds defaults and bounds to the descriptions of the members of requests, so that editors show them. The generator
 * writes only descriptions into the types.
 */
export function describeBounds(spec: OpenApi.V3_1_X): void {
  const schemas = (spec.components?.schemas ?? {}) as Record<string, Node>;
  const resolve = (node: Node): Node => {
    const target = schemas[nameOf(node) ?? ''];
    return target ? { ...resolve(target), ...node } : node;
  };
  for (const schema of sent(spec, schemas)) {
    for (const member of Object.values(asNode(schema.properties))) {
      const resolved = resolve(asNode(member));
      const facts = factsOf(resolved);
      if (facts !== '')
        Object.assign(asNode(member), { description: [resolved.description, facts].filter(Boolean).join(' ') });
    }
  }
}

/**
 * Removes the descriptions of operations, which the generated functions would repeat four times in the package. Users
 * call the methods of `resources`, which have descriptions of their own.
 */
export function omitOperationDescriptions(spec: OpenApi.V3_1_X): void {
  for (const path of Object.values(spec.paths ?? {})) {
    for (const operation of Object.values(path as Node)) delete asNode(operation).description;
  }
}

/** Finds the schemas that bodies of requests contain. */
function sent(spec: OpenApi.V3_1_X, schemas: Record<string, Node>): Set<Node> {
  const found = new Set<Node>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || found.has(value as Node)) return;
    found.add(value as Node);
    for (const child of Object.values(value)) visit(child);
    visit(schemas[nameOf(value as Node) ?? '']);
  };
  for (const path of Object.values(spec.paths ?? {})) {
    for (const operation of Object.values(path as Node)) visit(asNode(operation).requestBody);
  }
  return found;
}

/** Returns sentences about the bounds and the default. A unit that the description names already is left out. */
function factsOf(schema: Node): string {
  const { description = '', default: fallback, minLength, maxLength, minItems, maxItems } = schema;
  const isNamed = (unit: string) => String(description).includes(unit);
  const facts = [
    numbers(schema),
    maxLength === undefined || isNamed('characters') ? '' : between(minLength, maxLength, ' characters'),
    isNamed('items') ? '' : between(minItems, maxItems, ' items'),
    fallback === undefined ? '' : `Default: ${typeof fallback === 'number' ? number(fallback) : `\`${fallback}\``}.`,
  ];
  return facts.filter((fact) => fact !== '').join(' ');
}

function numbers({ minimum, exclusiveMinimum, maximum }: Node): string {
  if (exclusiveMinimum === undefined) return between(minimum, maximum, '');
  const most = maximum === undefined ? '' : `, at most ${number(maximum)}`;
  return `More than ${number(exclusiveMinimum)}${most}.`;
}

function between(least: unknown, most: unknown, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `At most ${number(most)}${unit}.`;
  if (most !== undefined) return `From ${number(least)} to ${number(most)}${unit}.`;
  return least === 1 ? `At least 1${unit.replace(/s$/, '')}.` : `At least ${number(least)}${unit}.`;
}

function number(value: unknown): string {
  return Number(value).toLocaleString('en-US');
}

function nameOf({ $ref }: Node): string | undefined {
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}
