import type { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { type OpenAPIValidator, ValidationContext } from 'openapi-backend';
import { NAMED_SCHEMAS } from '../http/contract/contract.js';
import { type ApiDocument, createAjv } from './api-document.js';

/** Returns the code of a CommonJS module that exports, for each operationId, the validators of its requests. */
export function requestValidatorsCode(validator: OpenAPIValidator, operations: ApiDocument['operations']): string {
  // The Ajv that the library itself compiles with. Its declared type is of an older dialect.
  const ajv = validator.getAjv(ValidationContext.RequestBody) as unknown as Ajv2020;
  const keys: string[] = [];
  const lists = operations.map(({ operationId = '' }) => {
    const own = validator.getRequestValidatorsForOperation(operationId).map(({ schema }, at) => {
      const key = `${operationId}.${at}`;
      ajv.addSchema(schema, key);
      keys.push(key);
      return `exports[${JSON.stringify(key)}]`;
    });
    return `  ${operationId}: [${own.join(', ')}],\n`;
  });
  return `${moduleCode(ajv, keys)}\nmodule.exports = {\n${lists.join('')}};\n`;
}

/** Returns the code of a CommonJS module that exports validators by schema name. */
export function namedValidatorsCode({ schemas }: Pick<ApiDocument, 'schemas'>): string {
  const ajv = createAjv({ strict: false, code: { source: true } });
  for (const name of NAMED_SCHEMAS) {
    const schema = schemas[name];
    if (!schema) throw new Error(`openapi.yaml lacks schema ${name}`);
    ajv.addSchema(schema, name);
  }
  return moduleCode(ajv, NAMED_SCHEMAS);
}

function moduleCode(ajv: Ajv2020, keys: readonly string[]): string {
  return standaloneCode.default(ajv, Object.fromEntries(keys.map((key) => [key, key])));
}
