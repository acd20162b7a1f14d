import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { UnauthenticatedError } from '../errors.js';
import {
  assertAbilities,
  assertRole,
  authenticate,
  resolveOrganization,
  resolveSystemOrganization,
  toCaller,
} from '../services/access.js';
import { credentialIdOf, type Principal, tokenPrincipal } from '../services/principal.js';
import type { Context } from './context.js';
import type { Operation } from './contract.js';
import { InProcessRequest } from './in-process.js';
import { originOf } from './origin.js';

/** Acts where no credential is asked for; rate limits count by it. */
const SYSTEM_PRINCIPAL = 'system';

/** What the service's own principal may do: what the tools do, and no management. */
const SYSTEM_ABILITIES = ['memory:ingest', 'memory:search', 'memory:admin'];

/** Who sends a request. Nobody, where an operation needs no credential. */
export interface Authorized {
  principal?: Principal;
  caller?: Caller;
}

/**
 * Who sends a request and to which organization, with the abilities and the
 * role that its operation asks for.
 *
 * @throws {UnauthenticatedError}
 * @throws {ForbiddenError} `organization_forbidden`, then `ability_denied`, then `owner_required`
 */
export async function authorize(
  deps: Pick<Deps, 'store' | 'now' | 'access'>,
  ctx: Context,
  operation: Operation,
): Promise<Authorized> {
  const { abilities } = operation;
  if (!abilities) return {};
  const surface = ctx.req instanceof InProcessRequest ? ctx.req.surface : undefined;
  if (surface?.systemOrganizationId !== undefined) {
    return { caller: await authorizeSystem(deps, ctx, abilities, surface.systemOrganizationId) };
  }
  const principal = await identify(deps, ctx);
  ctx.state.credentialId = credentialIdOf(principal);
  const place = await resolveOrganization(deps, principal, namedOrganization(ctx));
  ctx.state.organizationId = place.organizationId;
  surface?.onOrganization?.(place.organizationId);
  const caller: Caller = {
    ...toCaller(deps, principal, place),
    ...originOf(ctx),
    ...(surface && { source: surface.source }),
  };
  assertAbilities(caller, abilities);
  assertRole(caller, operation.roles);
  return { principal, caller };
}

async function identify(deps: Pick<Deps, 'store' | 'now'>, { req }: Context): Promise<Principal> {
  const known = req instanceof InProcessRequest ? req.surface.token : undefined;
  return tokenPrincipal(known ?? (await authenticate(deps, req.headers.authorization)));
}

/** The service's own principal, in the one organization that the operator named (section 5.1). */
async function authorizeSystem(
  deps: Pick<Deps, 'store'>,
  ctx: Context,
  abilities: readonly string[],
  systemOrganizationId: string,
): Promise<Caller> {
  const organizationId = await resolveSystemOrganization(deps, systemOrganizationId, namedOrganization(ctx));
  ctx.state.credentialId = SYSTEM_PRINCIPAL;
  ctx.state.organizationId = organizationId;
  // What asks for no ability asks who a person is.
  if (abilities.length === 0) throw new UnauthenticatedError();
  assertAbilities({ abilities: SYSTEM_ABILITIES }, abilities);
  return {
    organizationId,
    actor: { type: 'system', id: SYSTEM_PRINCIPAL },
    abilities: SYSTEM_ABILITIES,
    credentialId: SYSTEM_PRINCIPAL,
    source: 'mcp',
    ...originOf(ctx),
  };
}

/** A header given twice names no organization, and neither does what joins both. */
function namedOrganization({ req }: Context): string | undefined {
  const header = req.headers['x-organization-id'];
  return Array.isArray(header) ? header.join(', ') : header;
}
