import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Document, OpenAPIValidator } from 'openapi-backend';
import { parse as parseYaml } from 'yaml';
import { ROLES, type Role } from '../../domain/account/role.js';
import type { RateLimitClass } from '../../ports/rate-limiter.js';
import { type ApiDocument, createAjv, type DocumentOperation, resolveDocument } from './api-document.js';
import { packageRoot } from './package-root.js';
import { unprocessable } from './violations.js';
import type { GetContractJsonResponses, OperationId } from './wire.js';

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

/** Schemas that are checked by themselves, apart from the request that holds their value. */
type NamedSchema = 'BatchItem';

/** openapi.yaml as the server follows it. */
export class Contract {
  readonly operations: readonly Operation[];
  private readonly named: Readonly<Record<NamedSchema, ValidateFunction>>;

  /**
   * @param version of the package
   * @param text of the document
   * @param document the same, parsed, its references unresolved
   */
  constructor(
    readonly version: string,
    readonly text: string,
    readonly document: GetContractJsonResponses[200],
    readonly api: ApiDocument,
  ) {
    this.operations = api.operations.map(toOperation);
    const ajv = createAjv({ strict: false });
    const compile = (name: NamedSchema) => ajv.compile(api.schemas[name] ?? missing(`schema ${name}`));
    this.named = { BatchItem: compile('BatchItem') };
  }

  /**
   * Checks a request against its operation and fills in the defaults of the document.
   *
   * @throws {UnprocessableError}
   */
  checkRequest(operation: Operation, { path, query, body }: RequestParts): void {
    const parts = { path, query, ...(operation.hasBody && !operation.hasRawBody && { requestBody: body }) };
    const first = faults(this.api.firstFault, operation, parts);
    if (first.length === 0) return;
    // A batch may be so large that telling every fault of it would hold up everybody else.
    const all = operation.id === 'ingestMemoryBatch' ? first : faults(this.api.everyFault, operation, parts);
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

/** Reads openapi.yaml and the version from the package that this code is part of. */
export async function loadContract(): Promise<Contract> {
  const root = packageRoot();
  const text = await readFile(join(root, 'generated/openapi.yaml'), 'utf8');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const document = parseYaml(text) as Document & GetContractJsonResponses[200];
  return new Contract(version, text, document, await resolveDocument(document));
}

function faults(validator: OpenAPIValidator, { id }: Operation, parts: object): ErrorObject[] {
  return validator
    .getRequestValidatorsForOperation(id)
    .flatMap((validate) => (validate(parts) ? [] : (validate.errors ?? [])));
}

function toOperation(operation: DocumentOperation): Operation {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  return {
    id: (operation.operationId ?? missing(`operationId of ${operation.method} ${operation.path}`)) as OperationId,
    method: operation.method.toUpperCase(),
    path: operation.path,
    tags: operation.tags ?? [],
    abilities: operation.security?.find(({ bearer }) => bearer)?.bearer,
    sessionOnly: isSessionOnly(operation),
    isPersonal: operation.tags?.includes('session') === true,
    roles: operation['x-roles'] ?? (isManagement(operation) ? ['owner'] : ROLES),
    rateLimitClass: operation['x-rate-limit-class'] as RateLimitClass | undefined,
    needsEntitlement: '402' in operation.responses,
    isMetered: operation['x-metered'] !== undefined,
    hasBody: operation.requestBody !== undefined,
    hasRawBody: operation['x-raw-body'] === true,
    queryParameters: new Set(query.map(({ name }) => name)),
    integerParameters: new Set(query.filter(({ schema }) => schema?.type === 'integer').map(({ name }) => name)),
    mediaTypes: new Map(Object.entries(operation.responses).flatMap(toMediaType)),
  };
}

function isManagement({ security }: DocumentOperation): boolean {
  return security?.some(({ bearer }) => bearer?.includes('settings:admin')) === true;
}

function isSessionOnly({ security = [] }: DocumentOperation): boolean {
  return security.length > 0 && security.every(({ session }) => session !== undefined);
}

function toMediaType([status, { content = {} }]: [string, DocumentOperation['responses'][string]]): [number, string][] {
  return Object.keys(content)
    .slice(0, 1)
    .map((mediaType) => [Number(status), mediaType]);
}

function missing(what: string): never {
  throw new Error(`openapi.yaml lacks ${what}`);
}
