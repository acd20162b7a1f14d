import { isObject, type JsonSchema, resolve, toInputSchema, toOutputSchema } from './json-schema.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The input and output of an operation. The input is flat: a tool has arguments, not a path, a query and a body. */
export interface OperationSchemas {
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
  /** Undefined if the response has no body. */
  output: JsonSchema | undefined;
}

/** @throws if the document does not have the operation */
export function schemasOf(document: JsonSchema, operationId: string): OperationSchemas {
  const { path, operation } = findOperation(document, operationId);
  const parameters = [path.parameters, operation.parameters]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter.in !== 'header');
  const body = toInputSchema(document, jsonSchemaOf(document, operation.requestBody));
  const named = parameters.map((parameter) => [parameter.name, toParameterSchema(document, parameter)]);
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name);
  return {
    properties: { ...Object.fromEntries(named), ...(isObject(body.properties) ? body.properties : {}) },
    required: [...required, ...(Array.isArray(body.required) ? body.required : [])] as string[],
    output: outputOf(document, operation),
  };
}

interface Found {
  path: Record<string, unknown>;
  operation: Record<string, unknown>;
}

function findOperation(document: JsonSchema, operationId: string): Found {
  const paths = isObject(document.paths) ? Object.values(document.paths).filter(isObject) : [];
  for (const path of paths) {
    for (const method of METHODS) {
      const operation = path[method];
      if (isObject(operation) && operation.operationId === operationId) return { path, operation };
    }
  }
  throw new Error(`openapi.yaml does not have the operation ${operationId}`);
}

/** Converts a parameter. A query parameter that contains JSON becomes an argument of that JSON type. */
function toParameterSchema(document: JsonSchema, parameter: JsonSchema): JsonSchema {
  const { schema, description } = parameter;
  if (schema === undefined) return toInputSchema(document, jsonSchemaOf(document, parameter));
  const resolved = resolve(document, schema);
  return toInputSchema(document, { ...resolved, ...(description !== undefined && { description }) });
}

function outputOf(document: JsonSchema, { responses }: Record<string, unknown>): JsonSchema | undefined {
  const found = isObject(responses) ? (responses['200'] ?? responses['201']) : undefined;
  const schema = jsonSchemaOf(document, found);
  return schema === undefined ? undefined : toOutputSchema(document, schema);
}

function jsonSchemaOf(document: JsonSchema, node: unknown): unknown {
  const { content } = resolve(document, node);
  const media = isObject(content) ? content['application/json'] : undefined;
  return isObject(media) ? media.schema : undefined;
}
