import { isObject, type JsonSchema, resolve } from './json-schema.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The JSON type of an argument, or several. Undefined if the contract accepts any. */
export interface ArgumentType {
  type?: unknown;
}

/** The arguments of an operation: those of its path, query and body in one list. The service checks the values. */
export interface OperationArguments {
  properties: Readonly<Record<string, ArgumentType>>;
  required: readonly string[];
}

/** @throws if the document does not have the operation */
export function argumentsOf(document: JsonSchema, operationId: string): OperationArguments {
  const { path, operation } = findOperation(document, operationId);
  const parameters = [path.parameters, operation.parameters]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter.in !== 'header');
  const named = parameters.map((each) => [each.name, typeOf(document, each.schema ?? jsonSchemaOf(document, each))]);
  const body = resolve(document, jsonSchemaOf(document, operation.requestBody));
  const members = isObject(body.properties) ? Object.entries(body.properties) : [];
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name);
  return {
    properties: Object.fromEntries([...named, ...members.map(([name, schema]) => [name, typeOf(document, schema)])]),
    required: [...required, ...(Array.isArray(body.required) ? body.required : [])] as string[],
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

/** Returns the type of a schema. Of several choices the first counts: the others are its spellings, or null. */
function typeOf(document: JsonSchema, node: unknown): ArgumentType {
  const { type, anyOf, properties } = resolve(document, node);
  if (Array.isArray(anyOf) && properties === undefined) return typeOf(document, anyOf[0]);
  return type === undefined ? {} : { type };
}

function jsonSchemaOf(document: JsonSchema, node: unknown): unknown {
  const { content } = resolve(document, node);
  const media = isObject(content) ? content['application/json'] : undefined;
  return isObject(media) ? media.schema : undefined;
}
