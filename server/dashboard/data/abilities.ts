import type { Role } from '@memory-service/sdk';
import operationRoles from '#generated/operation-roles.json';

/** An operation of openapi.yaml. */
export type OperationId = keyof typeof operationRoles;

/** The build makes the table from openapi.yaml and the abilities of each role. */
const ROLES_OF: Readonly<Record<OperationId, readonly string[]>> = operationRoles;

/** Reports if members with a role may use an operation in their session. */
export function roleMay(role: Role, operation: OperationId): boolean {
  return ROLES_OF[operation].includes(role);
}
