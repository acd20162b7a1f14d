import { lookUp } from './json-pointer.js';

/** The part of a schema that the suite reads; ajv reads the rest. */
interface Schema extends Partial<ReturnLimit> {
  $ref?: string;
  properties?: Readonly<Record<string, Schema>>;
}

export interface Described {
  $ref?: string;
  headers?: Record<string, { $ref?: string; schema?: unknown }>;
  content?: Record<string, { schema?: Schema }>;
}

interface Parameter {
  $ref?: string;
  name?: string;
  schema?: Schema;
}

export interface DescribedOperation {
  operationId: string;
  responses: Record<string, Described>;
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  requestBody?: Described;
  parameters?: readonly Parameter[];
  'x-rate-limit-class'?: string;
  /** True if its bodies are signed, so that their bytes matter. */
  'x-raw-body'?: boolean;
}

/** openapi.yaml, parsed. */
export interface Document {
  info: { version: string };
  'x-default-limits': DefaultLimits;
  paths: Record<string, Record<string, DescribedOperation>>;
}

/** The default limits of a deployment. */
export interface DefaultLimits {
  readonly contentLength: number;
  readonly batchItems: number;
  /** By class. */
  readonly requestsPerMinute: Readonly<Record<'ingest' | 'search' | 'admin', number>>;
}

/** How many entries an operation may return. */
export interface ReturnLimit {
  readonly maximum: number;
  /** If the request gives none. */
  readonly default: number;
}

/** The bounds of `limit`, a query parameter of an operation or a member of its body. */
export function limitOf(document: Document, method: string, path: string): ReturnLimit | undefined {
  const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
  const parameter = parameters.map((given) => deref(document, given)).find(({ name }) => name === 'limit');
  const body = deref(document, deref(document, requestBody)?.content?.['application/json']?.schema);
  const { maximum, default: fallback } = deref(document, parameter?.schema ?? body?.properties?.limit) ?? {};
  return maximum === undefined || fallback === undefined ? undefined : { maximum, default: fallback };
}

/** Resolves a reference; returns any other value unchanged. */
function deref<Node extends { $ref?: string } | undefined>(document: Document, node: Node): Node {
  return node?.$ref === undefined ? node : deref(document, lookUp(document, node.$ref) as Node);
}
