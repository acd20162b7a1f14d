import type { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { type OpenAPIValidator, ValidationContext } from 'openapi-backend';
import { NAMED_SCHEMAS } from '../http/contract/contract.js';
import { type ApiDocument, createAjv } from './api-document.js';

/**
 * Returns, by operationId, the code of a CommonJS module that exports the validators of its requests. One module for all
 * operations would have a megabyte, and the first request would wait until it is loaded.
 */
export function requestValidatorsCode(
  validator: OpenAPIValidator,
  operations: ApiDocument['operations'],
): Map<string, string> {
  // The Ajv that the library itself compiles with. Its declared type is of an older dialect.
  const ajv = validator.getAjv(ValidationContext.RequestBody) as unknown as Ajv2020;
  return new Map(
    operations.map(({ operationId = '' }) => {
      const keys = validator.getRequestValidatorsForOperation(operationId).map(({ schema }, at) => {
        const key = `${operationId}.${at}`;
        ajv.addSchema(schema, key);
        return key;
      });
      const own = keys.map((key) => `exports[${JSON.stringify(key)}]`);
      return [operationId, `${moduleCode(ajv, keys)}\nmodule.exports = [${own.join(', ')}];\n`];
    }),
  );
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
