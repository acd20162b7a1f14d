import { timingSafeEqual } from 'node:crypto';
import type { Deps } from '../../deps.js';
import type { Caller, Origin } from '../../domain/account/caller.js';
import { ABILITIES, boundOrganizationOf, type Role, usableAbilities, WILDCARD } from '../../domain/account/role.js';
import { digestToken, isWellFormedToken } from '../../domain/account/token.js';
import { ForbiddenError, organizationForbidden, UnauthenticatedError } from '../../errors.js';
import type { ApiToken, Identified, Membership, Standing } from '../../ports/account-store.js';
import { actingAs, credentialIdOf, type Identity, type Principal } from './principal.js';

type AccessDeps = Pick<Deps, 'store' | 'now'>;

/**
 * Returns the token behind `Authorization: Bearer`, and the standings of its user.
 *
 * @param header names an organization
 * @throws {UnauthenticatedError} the same for every reason
 */
export async function authenticate(
  { store, now }: AccessDeps,
  authorization: string | undefined,
  header?: string,
): Promise<Identified<ApiToken>> {
  const text = bearerToken(authorization);
  if (text === undefined || !isWellFormedToken(text)) throw new UnauthenticatedError();

  const digest = digestToken(text);
  const found = await store.accounts.findTokenByDigest(digest, named(header));
  const token = found?.credential;
  if (!token || !timingSafeEqual(Buffer.from(token.digest), Buffer.from(digest))) throw new UnauthenticatedError();
  if (token.revokedAt !== undefined) throw new UnauthenticatedError();
  if (token.expiresAt !== undefined && token.expiresAt <= now()) throw new UnauthenticatedError();
  store.accounts.noteTokenUse(token.id, now());
  return found;
}

/**
 * Returns the standing of a principal in the organization that it acts in (section 5.3). It is the one that its token
 * is bound to, the one that `X-Organization-Id` names, or the only one of its user.
 *
 * @param identity with the standings that this request read: all of them, or only the one that the header names
 * @throws {ForbiddenError} `organization_forbidden`, the same for unknown and unauthorized organizations
 */
export function resolveOrganization({ principal, standings }: Identity, header: string | undefined): Standing {
  const wanted = boundOrganization(principal, header);
  const possible =
    wanted === undefined ? standings : standings.filter(({ organizationId }) => organizationId === wanted);
  const [only, ...others] = possible;
  if (!only || others.length > 0) throw organizationForbidden();
  return only;
}

/** Returns the standings of a user who was authenticated before: all of them, or the one that the header names. */
export async function readStandings(
  { store }: Pick<Deps, 'store'>,
  { userId }: Principal,
  header: string | undefined,
): Promise<Standing[]> {
  return store.accounts.standingsOf(userId, named(header));
}

/** Returns the abilities of a principal: those of its credential that the user's current role allows. */
export function abilitiesIn({ access }: Pick<Deps, 'access'>, principal: Principal, role: Role): string[] {
  const carried = principal.type === 'session' ? ABILITIES : principal.token.abilities;
  const honoured = access.wildcard ? carried : carried.filter((ability) => ability !== WILDCARD);
  return usableAbilities(honoured, role);
}

/** Returns a principal, its standing and its origin in the form that services expect. */
export function toCaller(
  deps: Pick<Deps, 'access'>,
  principal: Principal,
  { organizationId, role, settings, subscriptions }: Standing,
  { requestId, ip, userAgent }: Origin,
): Caller {
  const { actor, source } = actingAs(principal);
  const abilities = abilitiesIn(deps, principal, role);
  const credentialId = credentialIdOf(principal);
  // Members that are added to a spread object would take longer than the rest of an authorization.
  const caller: Caller = { requestId, organizationId, role, settings, abilities, credentialId, actor, source };
  if (subscriptions) caller.subscriptions = subscriptions;
  if (ip !== undefined) caller.ip = ip;
  if (userAgent !== undefined) caller.userAgent = userAgent;
  return caller;
}

/**
 * Returns the organization of the system principal: the one that the operator named, and no other.
 *
 * @throws {ForbiddenError} `organization_forbidden`, the same as for a token
 */
export async function resolveSystemOrganization(
  { store }: Pick<Deps, 'store'>,
  organizationId: string,
  header: string | undefined,
): Promise<Pick<Standing, 'organizationId' | 'settings'>> {
  const isNamed = header === undefined || named(header) === organizationId;
  const settings = isNamed ? await store.accounts.settings(organizationId) : undefined;
  if (!settings) throw organizationForbidden();
  return { organizationId, settings };
}

/**
 * Rejects a bound token of a user who belongs to other organizations too. Required before a token may start a session
 * or set a password, which reach all organizations of the user.
 *
 * @throws {ForbiddenError} `organization_forbidden`
 */
export function assertReachesAll(principal: Principal, memberships: readonly Membership[]): void {
  const bound = principal.type === 'token' ? boundOrganizations(principal.token) : [];
  if (bound.length === 0 || memberships.every(({ organizationId }) => bound.includes(organizationId))) return;
  throw organizationForbidden();
}

/** @throws {ForbiddenError} `ability_denied`, with the name of the missing ability */
export function assertAbilities(caller: Pick<Caller, 'abilities'>, required: readonly string[]): void {
  const missing = required.find((ability) => !caller.abilities.includes(ability));
  if (missing !== undefined) {
    const message = `This operation needs the ability ${missing}: the token must have it, and the role of its user must allow it`;
    throw new ForbiddenError('ability_denied', message);
  }
}

/** Returns the organizations that a token is bound to, in lower case. A token that is not bound has none. */
export function boundOrganizations({ abilities }: Pick<ApiToken, 'abilities'>): string[] {
  const bound: string[] = [];
  for (const ability of abilities) {
    const organizationId = boundOrganizationOf(ability);
    if (organizationId !== undefined) bound.push(organizationId);
  }
  return bound;
}

function boundOrganization(principal: Principal, header: string | undefined): string | undefined {
  const bound = principal.type === 'token' ? boundOrganizations(principal.token) : [];
  const given = named(header);
  if (bound.length === 0) return given;
  const wanted = given ?? (bound.length === 1 ? bound[0] : undefined);
  if (wanted === undefined || !bound.includes(wanted)) throw organizationForbidden();
  return wanted;
}

/** Returns the text after `Bearer` in an `Authorization` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** Returns the id of the organization that a header names. */
function named(header: string | undefined): string | undefined {
  return header?.toLowerCase();
}
