import type { Options as AjvOptions } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  type AjvCustomizer,
  type Document,
  OpenAPIBackend,
  OpenAPIValidator,
  type Operation,
  ValidationContext,
} from 'openapi-backend';
import type { Role } from '../domain/account/role.js';
import { boundTextLengths } from './text-length.js';

/** An operation of the document, its references resolved and its path's parameters added: what this server reads. */
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
  parameters?: { name: string; in: string /** Absent where the value is JSON. */; schema?: { type?: unknown } }[];
  responses: Record<string, { content?: Record<string, unknown>; headers?: Record<string, unknown> }>;
}

export interface ApiDocument {
  operations: readonly DocumentOperation[];
  /** Stops at the first fault of a request. Compiles what it needs when it is first needed. */
  firstFault: OpenAPIValidator;
  /** Finds every fault of a request or a response. Compiles what it needs when it is first needed. */
  everyFault: OpenAPIValidator;
  /** Schemas by name, their references resolved. */
  schemas: Readonly<Record<string, object>>;
}

/** openapi-backend checks every document against OpenAPI 3.0; one of 3.1 fails that check. */
class Api31 extends OpenAPIBackend {
  override validateDefinition(): Document {
    return this.document;
  }
}

/** Resolves the document's references. */
export async function resolveDocument(document: object): Promise<ApiDocument> {
  const api = new Api31({
    // Resolving references changes the object that it is given.
    definition: structuredClone(document) as Document,
    strict: true,
    validate: false,
  });
  await api.init();
  unshareLists(api.definition);

  // Otherwise the list is made anew for every operation that is compiled.
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
      customizeAjv: twoAjvs(),
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
 * Gives every schema lists of its own. References that add a description share those of what they refer to, and the
 * library takes the second of two in one schema for a cycle.
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

/** A signed body is checked by its route, when the signature is known to be right. */
function withoutRawBody(operation: Operation): Operation {
  if ((operation as DocumentOperation)['x-raw-body'] !== true) return operation;
  const { requestBody: _, ...rest } = operation;
  return rest as Operation;
}

/** An Ajv that knows the dialect of OpenAPI 3.1. */
export function createAjv(options: AjvOptions): Ajv2020 {
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  boundTextLengths(ajv);
  return ajv;
}

/** The library makes an Ajv of an older dialect for each schema; sharing two of this one starts several times faster. */
function twoAjvs(): AjvCustomizer {
  const made = new Map<boolean, ReturnType<AjvCustomizer>>();
  return (_own, options, context) => {
    // Header values are text by nature; what a request says is never turned into another type.
    const coerceTypes = context === ValidationContext.ResponseHeaders;
    const ajv =
      made.get(coerceTypes) ?? (createAjv({ ...options, coerceTypes }) as unknown as ReturnType<AjvCustomizer>);
    made.set(coerceTypes, ajv);
    return ajv;
  };
}
