import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Role } from '../../domain/account/role.js';
import type { RateLimitClass } from '../../ports/rate-limiter.js';
import { ServedDocument } from './served-document.js';
import { unprocessable } from './violations.js';
import type { GetContractJsonResponses, OperationId } from './wire.js';

/** Loads what `contract-compiler` made of openapi.yaml; works from sources and from the build. */
const require = createRequire(import.meta.url);

/** The members of an operation in the document that the server uses. */
export interface Operation {
  id: OperationId;
  /** Upper case. */
  method: string;
  /** Has its parameters in braces. */
  path: string;
  tags: readonly string[];
  /** Abilities that the token must have; undefined if no token is needed. */
  abilities: readonly string[] | undefined;
  /** True if it needs a session, whatever the organization. */
  sessionOnly: boolean;
  /** True if anyone with a session may use it without an organization. */
  isPersonal: boolean;
  /** Roles that may use it. Operations that manage the organization are for owners, unless `x-roles` lists others. */
  roles: readonly Role[];
  rateLimitClass: RateLimitClass | undefined;
  /** True for a write that needs an entitlement: it lists 402. */
  needsEntitlement: boolean;
  /** True if it counts against a monthly cap (`x-metered`). */
  isMetered: boolean;
  hasBody: boolean;
  /** True if the sender signs the body. Its bytes then go to the route unparsed (`x-raw-body`). */
  hasRawBody: boolean;
  queryParameters: ReadonlySet<string>;
  /** Names of integer query parameters. */
  integerParameters: ReadonlySet<string>;
  /** Status → media types, for answers with a body. The first is the default. */
  mediaTypes: ReadonlyMap<number, readonly string[]>;
}

/** The parts of a request that have schemas. */
export interface RequestParts {
  path: Readonly<Record<string, string>>;
  query: Record<string, unknown>;
  body: unknown;
}

export type OperationRecord = Omit<Operation, 'queryParameters' | 'integerParameters' | 'mediaTypes'> & {
  queryParameters: readonly string[];
  integerParameters: readonly string[];
  mediaTypes: readonly [number, readonly string[]][];
};

/** Content of contract.json, which the build writes. */
export interface CompiledContract {
  /** Version of the document, equal to that of the package. */
  version: string;
  operations: readonly OperationRecord[];
}

/** Schemas that are checked separately from the request that holds their value. */
export const NAMED_SCHEMAS = ['BatchItem', 'ImportItem', 'ImportedVersion'] as const;

type NamedSchema = (typeof NAMED_SCHEMAS)[number];
/** How much of a request is checked: up to its first fault, or all of it. Names the folders of the validators. */
type Extent = 'first-fault' | 'every-fault';

/**
 * openapi.yaml, as the server follows it. The build writes the validators of openapi-backend and Ajv as code:
 * compiling them takes longer than the rest of a start.
 */
export class Contract {
  readonly version: string;
  readonly operations: readonly Operation[];

  readonly #loaded = {
    'first-fault': new Map<OperationId, readonly ValidateFunction[]>(),
    'every-fault': new Map<OperationId, readonly ValidateFunction[]>(),
  };
  #yaml: ServedDocument | undefined;
  #json: ServedDocument | undefined;
  #named: Readonly<Record<NamedSchema, ValidateFunction>> | undefined;

  constructor({ version, operations }: CompiledContract) {
    this.version = version;
    this.operations = operations.map(toOperation);
  }

  /** Returns the unchanged text of openapi.yaml. */
  get yaml(): ServedDocument {
    this.#yaml ??= new ServedDocument(readFileSync(require.resolve('#generated/openapi.yaml'), 'utf8'));
    return this.#yaml;
  }

  /** Returns the document as JSON, with its references unresolved. */
  get json(): ServedDocument {
    this.#json ??= new ServedDocument(JSON.stringify(this.document));
    return this.#json;
  }

  /** Returns the document, with its references unresolved. */
  get document(): GetContractJsonResponses[200] {
    return require('#generated/openapi.json');
  }

  private get named(): Readonly<Record<NamedSchema, ValidateFunction>> {
    this.#named ??= require('#generated/named-schemas.cjs') as Record<NamedSchema, ValidateFunction>;
    return this.#named;
  }

  /**
   * Checks a request against its operation, and fills in defaults.
   *
   * @throws {UnprocessableError}
   */
  checkRequest(operation: Operation, { path, query, body }: RequestParts): void {
    if (takesNothing(operation) && Object.keys(query).length === 0) return;
    const parts = { path, query, ...(operation.hasBody && !operation.hasRawBody && { requestBody: body }) };
    const first = this.#faults('first-fault', operation, parts);
    if (first.length === 0) return;
    // A batch may be so large that reporting all of its faults would block other callers.
    const all = ['ingestMemoryBatch', 'importMemories'].includes(operation.id)
      ? first
      : this.#faults('every-fault', operation, parts);
    throw unprocessable(all, 1);
  }

  checkSchema(name: NamedSchema, value: unknown): void {
    const validate = this.named[name];
    if (!validate(value)) throw unprocessable(validate.errors ?? [], 0);
  }

  #faults(extent: Extent, operation: Operation, parts: object): ErrorObject[] {
    return this.#validators(extent, operation).flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
  }

  /** Loads the validators of an operation at its first request, so that a start does not. */
  #validators(extent: Extent, { id }: Operation): readonly ValidateFunction[] {
    const loaded = this.#loaded[extent].get(id) ?? require(`#generated/${extent}/${id}.cjs`);
    this.#loaded[extent].set(id, loaded);
    return loaded;
  }
}

export function loadContract(): Contract {
  return new Contract(require('#generated/contract.json'));
}

function takesNothing({ path, queryParameters, hasBody }: Operation): boolean {
  return !path.includes('{') && queryParameters.size === 0 && !hasBody;
}

function toOperation({ queryParameters, integerParameters, mediaTypes, ...same }: OperationRecord): Operation {
  return {
    ...same,
    queryParameters: new Set(queryParameters),
    integerParameters: new Set(integerParameters),
    mediaTypes: new Map(mediaTypes),
  };
}
