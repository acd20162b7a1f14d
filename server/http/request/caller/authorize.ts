import type { Deps } from '../../../deps.js';
import type { Caller } from '../../../domain/account/caller.js';
import { ForbiddenError, UnauthenticatedError } from '../../../errors.js';
import type { Standing } from '../../../ports/account-store.js';
import {
  assertAbilities,
  authenticate,
  readStandings,
  resolveOrganization,
  resolveSystemOrganization,
  toCaller,
} from '../../../services/access/access.js';
import { assertRole } from '../../../services/access/owner.js';
import { credentialIdOf, type Identity, type Principal, tokenIdentity } from '../../../services/access/principal.js';
import { assertOwnPage, authenticateSession } from '../../../services/access/sessions.js';
import type { Operation } from '../../contract/contract.js';
import { asOne } from '../address/header.js';
import { originOf } from '../address/origin.js';
import type { Context } from '../context.js';
import { GoneSignal } from '../turns/answer-end.js';
import { boundTo } from './bound-to.js';
import { InProcessRequest } from './in-process.js';
import { readSessionCookie } from './session-cookie.js';

/** Id that rate limits use for requests without a credential. */
export const SYSTEM_PRINCIPAL = 'system';

/** Abilities of the system principal: those of the tools, and no management. */
const SYSTEM_ABILITIES = ['memory:ingest', 'memory:search', 'memory:admin'];

/** Methods that change nothing, and so need no CSRF token. */
const SAFE_METHODS = ['GET', 'HEAD'];

/** The sender of a request. Empty for an operation without a credential. */
interface Authorized {
  principal?: Principal;
  caller?: Caller;
}

/**
 * Returns who sends a request and for which organization. Checks the abilities and the role that its operation
 * requires.
 *
 * @throws {UnauthenticatedError}
 * @throws {ForbiddenError} `csrf_token_invalid`, then `organization_forbidden`, `ability_denied` and `owner_required`
 */
export async function authorize(
  deps: Pick<Deps, 'store' | 'now' | 'access'>,
  ctx: Context,
  operation: Operation,
): Promise<Authorized> {
  const { abilities = [] } = operation;
  if (!operation.abilities && !operation.sessionOnly) return {};
  const surface = ctx.req instanceof InProcessRequest ? ctx.req.surface : undefined;
  if (surface?.systemOrganizationId !== undefined) {
    return { caller: await authorizeSystem(deps, ctx, abilities, surface.systemOrganizationId) };
  }
  const named = asOne(ctx.req.headers['x-organization-id']);
  const identity = await identify(deps, ctx, operation, named);
  const { principal } = identity;
  ctx.state.credentialId = credentialIdOf(principal);
  const place = locate(operation, identity, named);
  if (!place) return { principal };
  ctx.state.organizationId = place.organizationId;
  surface?.onOrganization?.(place.organizationId);
  const caller = toCaller(deps, principal, place, originOf(ctx));
  caller.gone = new GoneSignal(ctx);
  const within = boundTo(ctx);
  if (within) caller.within = within;
  if (surface) caller.source = surface.source;
  assertAbilities(caller, abilities);
  assertRole(caller.role, operation.roles);
  return { principal, caller };
}

/** Authenticates by the token if one is sent, even if the browser also sends a cookie. Otherwise by the cookie. */
async function identify(
  deps: Pick<Deps, 'store' | 'now' | 'access'>,
  { req, method }: Context,
  { sessionOnly }: Operation,
  named: string | undefined,
): Promise<Identity> {
  if (req instanceof InProcessRequest && req.surface.identity) {
    const { identity, organizationHeader } = req.surface;
    if (named === organizationHeader) return identity;
    return { ...identity, standings: await readStandings(deps, identity.principal, named) };
  }
  const { headers } = req;
  const secret = headers.authorization === undefined ? readSessionCookie(headers, deps.access) : undefined;
  if (secret === undefined) {
    if (sessionOnly) throw new UnauthenticatedError('This operation needs a session: sign in first');
    return tokenIdentity(await authenticate(deps, headers.authorization, named));
  }
  const identity = await authenticateSession(deps, secret, named);
  if (!SAFE_METHODS.includes(method)) assertOwnPage(identity.principal, asOne(headers['x-csrf-token']));
  return identity;
}

/** Returns undefined if the operation is personal, and a session names no organization. */
function locate({ isPersonal }: Operation, identity: Identity, named: string | undefined): Standing | undefined {
  const mayActNowhere = isPersonal && identity.principal.type === 'session' && named === undefined;
  try {
    return resolveOrganization(identity, named);
  } catch (error) {
    if (mayActNowhere && error instanceof ForbiddenError) return undefined;
    throw error;
  }
}

/** Returns the system principal, in the one organization that the operator named (section 5.1). */
async function authorizeSystem(
  deps: Pick<Deps, 'store'>,
  ctx: Context,
  abilities: readonly string[],
  systemOrganizationId: string,
): Promise<Caller> {
  const { organizationId, settings } = await resolveSystemOrganization(
    deps,
    systemOrganizationId,
    asOne(ctx.req.headers['x-organization-id']),
  );
  ctx.state.credentialId = SYSTEM_PRINCIPAL;
  ctx.state.organizationId = organizationId;
  // Operations without abilities need a user, which the system principal is not.
  if (abilities.length === 0) throw new UnauthenticatedError();
  assertAbilities({ abilities: SYSTEM_ABILITIES }, abilities);
  const within = boundTo(ctx);
  return {
    organizationId,
    settings,
    actor: { type: 'system', id: SYSTEM_PRINCIPAL },
    abilities: SYSTEM_ABILITIES,
    credentialId: SYSTEM_PRINCIPAL,
    source: 'mcp',
    ...originOf(ctx),
    ...(within && { within }),
    gone: new GoneSignal(ctx),
  };
}
