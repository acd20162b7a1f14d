import { ROLES, type Role, usableAbilities, WILDCARD } from '../domain/account/role.js';
import type { OperationRecord } from '../http/contract/contract.js';
import type { OperationId } from '../http/contract/wire.js';
import type { RateLimitClass } from '../ports/rate-limiter.js';
import type { DocumentOperation } from './api-document.js';

/** Returns what the server needs from an operation of the document. */
export function toOperation(operation: DocumentOperation): OperationRecord {
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
    queryParameters: query.map(({ name }) => name),
    integerParameters: query.filter(({ schema }) => schema?.type === 'integer').map(({ name }) => name),
    mediaTypes: Object.entries(operation.responses).flatMap(toMediaTypes),
  };
}

/** Returns the roles whose members may use an operation in a session, which carries every ability of the role. */
export function rolesInSession({ roles, abilities = [] }: OperationRecord): Role[] {
  return roles.filter((role) => {
    const usable = usableAbilities([WILDCARD], role);
    return abilities.every((ability) => usable.includes(ability));
  });
}

function isManagement({ security }: DocumentOperation): boolean {
  return security?.some(({ bearer }) => bearer?.includes('settings:admin')) === true;
}

function isSessionOnly({ security = [] }: DocumentOperation): boolean {
  return security.length > 0 && security.every(({ session }) => session !== undefined);
}

function toMediaTypes([status, { content = {} }]: [string, DocumentOperation['responses'][string]]): [
  number,
  string[],
][] {
  const mediaTypes = Object.keys(content);
  return mediaTypes.length === 0 ? [] : [[Number(status), mediaTypes]];
}

function missing(what: string): never {
  throw new Error(`openapi.yaml lacks ${what}`);
}
