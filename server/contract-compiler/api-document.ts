import type { Options as AjvOptions } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type AjvCustomizer, type Document, OpenAPIBackend, OpenAPIValidator, type Operation } from 'openapi-backend';
import type { Role } from '../domain/account/role.js';
import { boundTextLengths } from './text-length.js';

/** The parts of an operation that the server reads, with references resolved and parameters of the path added. */
export interface DocumentOperation {
  operationId?: string;
  method: string;
  path: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  'x-rate-limit-class'?: string;
  'x-metered'?: string;
  'x-roles'?: Role[];
  'x-raw-body'?: boolean;
  requestBody?: unknown;
  parameters?: { name: string; in: string /** Absent if the value is JSON. */; schema?: { type?: unknown } }[];
  responses: Record<string, DocumentResponse>;
}

export interface DocumentResponse {
  /** By media type. */
  content?: Record<string, { schema?: object; 'x-line-schema'?: object }>;
  headers?: Record<string, { schema?: object }>;
}

export interface ApiDocument {
  operations: readonly DocumentOperation[];
  /** Stops at the first fault of a request. Compiles each schema on first use. */
  firstFault: OpenAPIValidator;
  /** Reports every fault of a request. Compiles each schema on first use. */
  everyFault: OpenAPIValidator;
  /** Schemas by name, with references resolved. */
  schemas: Readonly<Record<string, object>>;
}

/** An OpenAPIBackend that skips the check against OpenAPI 3.0, which documents of 3.1 fail. */
class Api31 extends OpenAPIBackend {
  override validateDefinition(): Document {
    return this.document;
  }
}

/** Resolves the document's references. */
export async function resolveDocument(document: object): Promise<ApiDocument> {
  const api = new Api31({
    // Resolving references modifies its argument.
    definition: structuredClone(document) as Document,
    strict: true,
    validate: false,
  });
  await api.init();
  unshareLists(api.definition);

  // Without this, the library would rebuild the list for every compiled operation.
  const operations = api.router.getOperations();
  const checked = operations.map(withoutRawBody);
  const byId = new Map(checked.map((operation) => [operation.operationId, operation]));
  api.router.getOperations = () => checked;
  api.router.getOperation = (id) => byId.get(id);

  const validator = (allErrors: boolean) =>
    new OpenAPIValidator({
      definition: api.definition,
      router: api.router,
      ajvOpts: { allErrors, strict: false, useDefaults: true, code: { source: true } },
      customizeAjv: sharedAjv(),
      lazyCompileValidators: true,
    });
  return {
    operations: operations as DocumentOperation[],
    firstFault: validator(false),
    everyFault: validator(true),
    schemas: (api.definition.components?.schemas ?? {}) as Record<string, object>,
  };
}

/**
 * Gives every schema its own copies of lists. A reference with a description shares the lists of its target, and the
 * library mistakes the second use of a list in a schema for a cycle.
 */
function unshareLists(root: object): void {
  const seen = new Set<unknown>();
  const left: object[] = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value !== 'object' || value === null) continue;
      if (!seen.has(value)) left.push(value);
      else if (Array.isArray(value)) Object.assign(node, { [key]: [...value] });
      seen.add(value);
    }
  }
}

/** Removes a signed body from the checks. Its route checks it after the signature. */
function withoutRawBody(operation: Operation): Operation {
  if ((operation as DocumentOperation)['x-raw-body'] !== true) return operation;
  const { requestBody: _, ...rest } = operation;
  return rest as Operation;
}

/** Returns an Ajv for the dialect of OpenAPI 3.1. */
export function createAjv(options: AjvOptions): Ajv2020 {
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  boundTextLengths(ajv);
  return ajv;
}

/** Returns one shared Ajv. The library would create one of an older dialect per schema, which starts much slower. */
function sharedAjv(): AjvCustomizer {
  let made: ReturnType<AjvCustomizer> | undefined;
  return (_own, options) => {
    // Values keep their types.
    made ??= createAjv({ ...options, coerceTypes: false }) as unknown as ReturnType<AjvCustomizer>;
    return made;
  };
}
