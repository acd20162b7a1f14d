import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Role } from '../../domain/account/role.js';
import type { RateLimitClass } from '../../ports/rate-limiter.js';
import { ServedDocument } from './served-document.js';
import { unprocessable } from './violations.js';
import type { GetContractJsonResponses, OperationId } from './wire.js';

/** Reaches what `contract-compiler` made of openapi.yaml: the same from the sources and from what is built of them. */
const require = createRequire(import.meta.url);

/** What the document says of one operation, as far as the server acts on it. */
export interface Operation {
  id: OperationId;
  /** Upper case. */
  method: string;
  /** With its parameters in braces. */
  path: string;
  tags: readonly string[];
  /** What the token must carry; undefined where no token is needed. */
  abilities: readonly string[] | undefined;
  /** Whether it is about a session and so needs one, whatever the organization. */
  sessionOnly: boolean;
  /** Whether whoever has a session may use it without acting in an organization. */
  isPersonal: boolean;
  /** Who may use it. Where it manages the organization that is its owners, unless `x-roles` says otherwise. */
  roles: readonly Role[];
  rateLimitClass: RateLimitClass | undefined;
  /** Whether it is a write that has to be paid for: it lists 402. */
  needsEntitlement: boolean;
  /** Whether it counts against a monthly cap (`x-metered`). */
  isMetered: boolean;
  hasBody: boolean;
  /** Whether the sender signs the body, so that its bytes go to the route unread (`x-raw-body`). */
  hasRawBody: boolean;
  queryParameters: ReadonlySet<string>;
  /** Query parameters that are whole numbers. */
  integerParameters: ReadonlySet<string>;
  /** Status → media type, for answers that have a body. */
  mediaTypes: ReadonlyMap<number, string>;
}

/** The parts of a request that the document has schemas for. */
export interface RequestParts {
  path: Readonly<Record<string, string>>;
  query: Record<string, unknown>;
  body: unknown;
}

/** An operation as JSON. */
export type OperationRecord = Omit<Operation, 'queryParameters' | 'integerParameters' | 'mediaTypes'> & {
  queryParameters: readonly string[];
  integerParameters: readonly string[];
  mediaTypes: readonly [number, string][];
};

/** What the build writes to contract.json. */
export interface CompiledContract {
  /** Of the document, and so of the package. */
  version: string;
  operations: readonly OperationRecord[];
}

/** Schemas that are checked by themselves, apart from the request that holds their value. */
export const NAMED_SCHEMAS = ['BatchItem', 'ImportItem', 'ImportedVersion'] as const;

type NamedSchema = (typeof NAMED_SCHEMAS)[number];
type RequestValidators = Readonly<Record<OperationId, readonly ValidateFunction[]>>;

/**
 * openapi.yaml as the server follows it. The validators are those that openapi-backend and Ajv compile, written as
 * code when the package is built: compiling them takes longer than all else that a start does.
 */
export class Contract {
  readonly version: string;
  readonly operations: readonly Operation[];

  #yaml: ServedDocument | undefined;
  #json: ServedDocument | undefined;

  constructor({ version, operations }: CompiledContract) {
    this.version = version;
    this.operations = operations.map(toOperation);
  }

  /** The document as it was written. */
  get yaml(): ServedDocument {
    this.#yaml ??= new ServedDocument(readFileSync(require.resolve('#generated/openapi.yaml'), 'utf8'));
    return this.#yaml;
  }

  /** The document as JSON, its references unresolved. */
  get json(): ServedDocument {
    this.#json ??= new ServedDocument(JSON.stringify(this.document));
    return this.#json;
  }

  /** The document, its references unresolved. */
  get document(): GetContractJsonResponses[200] {
    return require('#generated/openapi.json');
  }

  // Half a megabyte of code each: loaded by the first request that needs it, so that a start does without.

  private get firstFault(): RequestValidators {
    return require('#generated/first-fault.cjs');
  }

  /** Most requests have no fault. */
  private get everyFault(): RequestValidators {
    return require('#generated/every-fault.cjs');
  }

  private get named(): Readonly<Record<NamedSchema, ValidateFunction>> {
    return require('#generated/named-schemas.cjs');
  }

  /**
   * Checks a request against its operation and fills in the defaults of the document.
   *
   * @throws {UnprocessableError}
   */
  checkRequest(operation: Operation, { path, query, body }: RequestParts): void {
    if (takesNothing(operation) && Object.keys(query).length === 0) return;
    const parts = { path, query, ...(operation.hasBody && !operation.hasRawBody && { requestBody: body }) };
    const first = faults(this.firstFault, operation, parts);
    if (first.length === 0) return;
    // A batch may be so large that telling every fault of it would hold up everybody else.
    const all = ['ingestMemoryBatch', 'importMemories'].includes(operation.id)
      ? first
      : faults(this.everyFault, operation, parts);
    throw unprocessable(all, 1);
  }

  /**
   * Checks a value against a schema of the document.
   *
   * @throws {UnprocessableError}
   */
  checkSchema(name: NamedSchema, value: unknown): void {
    const validate = this.named[name];
    if (!validate(value)) throw unprocessable(validate.errors ?? [], 0);
  }
}

export function loadContract(): Contract {
  return new Contract(require('#generated/contract.json'));
}

function takesNothing({ path, queryParameters, hasBody }: Operation): boolean {
  return !path.includes('{') && queryParameters.size === 0 && !hasBody;
}

function faults(validators: RequestValidators, { id }: Operation, parts: object): ErrorObject[] {
  return validators[id].flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
}

function toOperation({ queryParameters, integerParameters, mediaTypes, ...same }: OperationRecord): Operation {
  return {
    ...same,
    queryParameters: new Set(queryParameters),
    integerParameters: new Set(integerParameters),
    mediaTypes: new Map(mediaTypes),
  };
}
