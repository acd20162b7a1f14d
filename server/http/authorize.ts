import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { assertAbilities, authenticate, resolveOrganization, resolveSystemOrganization } from '../services/access.js';
import type { Context } from './context.js';
import type { Operation } from './contract.js';
import { InProcessRequest } from './in-process.js';
import { originOf } from './origin.js';

/** Acts where no credential is asked for; rate limits count by it. */
const SYSTEM_PRINCIPAL = 'system';

/**
 * Who sends a request and to which organization, with the abilities that its
 * operation asks for. Undefined where the operation needs no credential.
 *
 * @throws {UnauthenticatedError}
 * @throws {ForbiddenError} `organization_forbidden`, then `ability_denied`
 */
export async function authorize(
  deps: Pick<Deps, 'store' | 'now'>,
  ctx: Context,
  { abilities }: Operation,
): Promise<Caller | undefined> {
  if (!abilities) return undefined;
  const { headers } = ctx.req;
  const surface = ctx.req instanceof InProcessRequest ? ctx.req.surface : undefined;
  if (surface?.systemOrganizationId !== undefined) return authorizeSystem(deps, ctx, surface.systemOrganizationId);
  const token = await authenticate(deps, headers.authorization);
  ctx.state.credentialId = token.id;
  const organizationId = await resolveOrganization(deps, token, asOne(headers['x-organization-id']));
  ctx.state.organizationId = organizationId;
  assertAbilities(token, abilities);
  return {
    organizationId,
    actor: { type: 'token', id: token.id, userId: token.userId },
    abilities: token.abilities,
    credentialId: token.id,
    source: surface?.source ?? 'rest',
    ...originOf(ctx),
  };
}

/** The service's own principal, which may do everything in the one organization that the operator named (section 5.1). */
async function authorizeSystem(deps: Pick<Deps, 'store'>, ctx: Context, systemOrganizationId: string): Promise<Caller> {
  const named = asOne(ctx.req.headers['x-organization-id']);
  const organizationId = await resolveSystemOrganization(deps, systemOrganizationId, named);
  ctx.state.credentialId = SYSTEM_PRINCIPAL;
  ctx.state.organizationId = organizationId;
  return {
    organizationId,
    actor: { type: 'system', id: SYSTEM_PRINCIPAL },
    abilities: ['*'],
    credentialId: SYSTEM_PRINCIPAL,
    source: 'mcp',
    ...originOf(ctx),
  };
}

/** A header given twice names no organization, and neither does what joins both. */
function asOne(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
