/** The members of openapi.yaml that the page shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Example {
  $ref?: string;
  summary?: string;
  value?: unknown;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, Example>>;
}

type Content = Readonly<Record<string, Media>>;

export interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
  content?: Content;
}

interface Body {
  $ref?: string;
  required?: boolean;
  description?: string;
  content?: Content;
}

export interface Answer {
  $ref?: string;
  description?: string;
  headers?: Readonly<Record<string, unknown>>;
  content?: Content;
}

interface DocumentedOperation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  security: readonly Readonly<Record<string, readonly string[]>>[];
  parameters?: readonly Parameter[];
  requestBody?: Body;
  responses: Readonly<Record<string, Answer>>;
  'x-rate-limit-class'?: string;
  'x-metered'?: string;
}

export interface Document {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An operation with its place in the document. */
export interface Operation extends DocumentedOperation {
  method: string;
  path: string;
}

export interface Group {
  name: string;
  description: string;
  operations: readonly Operation[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Lists the operations of a document by tag, in the order of the document. */
export function groupsOf({ tags, paths }: Document): Group[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as DocumentedOperation | undefined;
      if (!operation) return [];
      const shared = (item.parameters ?? []) as readonly Parameter[];
      return [{ ...operation, method, path, parameters: [...shared, ...(operation.parameters ?? [])] }];
    }),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter((operation) => operation.tags.includes(name)),
  }));
}

/** Reports if an operation has all words of a search in its names or descriptions. */
export function matches({ operationId, method, path, summary, description }: Operation, search: string): boolean {
  const text = [operationId, method, path, summary, description].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Follows a reference. Members beside it replace those of what it refers to. */
export function resolve<T extends { $ref?: string }>(document: Document, part: T): T {
  if (part.$ref === undefined) return part;
  const { $ref, ...own } = part;
  const [kind = '', name = ''] = $ref.replace('#/components/', '').split('/');
  const target = document.components[kind]?.[name] as T | undefined;
  return target ? { ...resolve(document, target), ...own } : ({ ...own } as T);
}

/** Returns the media type that is shown, and what the document says of it. */
export function mediaOf(content: Content = {}): { type: string; media: Media } | undefined {
  const [first] = Object.entries(content);
  return first && { type: Object.keys(content).join(', '), media: first[1] };
}

/** Lists the examples of a body or an answer. */
export function examplesOf(document: Document, { example, examples = {} }: Media): { title: string; value: unknown }[] {
  const named = Object.entries(examples).map(([name, part]) => {
    const { summary, value } = resolve(document, part);
    return { title: summary ?? name, value };
  });
  return example === undefined ? named : [{ title: 'Example', value: example }, ...named];
}
