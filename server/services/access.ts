import { timingSafeEqual } from 'node:crypto';
import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { ABILITIES, ORGANIZATION_ABILITY, type Role, usableAbilities, WILDCARD } from '../domain/role.js';
import { digestToken, isWellFormedToken } from '../domain/token.js';
import { ForbiddenError, UnauthenticatedError } from '../errors.js';
import type { ApiToken } from '../ports/account-store.js';
import { credentialIdOf, type Principal } from './principal.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type AccessDeps = Pick<Deps, 'store' | 'now'>;

/** Where a principal acts, and as what. */
export interface Place {
  organizationId: string;
  role: Role;
}

/** The token behind `Authorization: Bearer`. @throws {UnauthenticatedError} the same for every reason */
export async function authenticate({ store, now }: AccessDeps, authorization: string | undefined): Promise<ApiToken> {
  const text = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (text === undefined || !isWellFormedToken(text)) throw new UnauthenticatedError();

  const digest = digestToken(text);
  const token = await store.accounts.findTokenByDigest(digest);
  if (!token || !timingSafeEqual(Buffer.from(token.digest), Buffer.from(digest))) throw new UnauthenticatedError();
  if (token.revokedAt !== undefined) throw new UnauthenticatedError();
  if (token.expiresAt !== undefined && token.expiresAt <= now()) throw new UnauthenticatedError();
  store.accounts.noteTokenUse(token.id, now());
  return token;
}

/**
 * The organization that a principal acts in (section 5.3): the one that its
 * token is bound to, the one that `X-Organization-Id` names, or the only one
 * of its user. The user's membership is looked at each time.
 *
 * @throws {ForbiddenError} `organization_forbidden`, the same for unknown and unauthorized organizations
 */
export async function resolveOrganization(
  { store }: Pick<Deps, 'store'>,
  principal: Principal,
  header: string | undefined,
): Promise<Place> {
  const { userId } = principal;
  const organizationId = boundOrganization(principal, header);
  const place =
    organizationId === undefined
      ? await onlyPlace({ store }, userId)
      : await placeIn({ store }, userId, organizationId);
  if (!place) throw organizationForbidden();
  return place;
}

/** What a principal may do in a place: what its credential carries, as far as the user's present role allows it. */
export function abilitiesIn({ access }: Pick<Deps, 'access'>, principal: Principal, role: Role): string[] {
  const carried = principal.type === 'session' ? ABILITIES : principal.token.abilities;
  const honoured = access.wildcard ? carried : carried.filter((ability) => ability !== WILDCARD);
  return usableAbilities(honoured, role);
}

/** A principal in its place, as services know it. */
export function toCaller(
  deps: Pick<Deps, 'access'>,
  principal: Principal,
  { organizationId, role }: Place,
): Pick<Caller, 'organizationId' | 'role' | 'actor' | 'abilities' | 'credentialId' | 'source'> {
  const { userId } = principal;
  const isToken = principal.type === 'token';
  return {
    organizationId,
    role,
    actor: isToken ? { type: 'token', id: principal.token.id, userId } : { type: 'user', id: userId, userId },
    abilities: abilitiesIn(deps, principal, role),
    credentialId: credentialIdOf(principal),
    source: isToken ? 'rest' : 'dashboard',
  };
}

/**
 * The organization in which the service's own principal acts: the one that the
 * operator named, and no other.
 *
 * @throws {ForbiddenError} `organization_forbidden`, the same as for a token
 */
export async function resolveSystemOrganization(
  { store }: Pick<Deps, 'store'>,
  organizationId: string,
  header: string | undefined,
): Promise<string> {
  const isNamed = header === undefined || header.toLowerCase() === organizationId;
  if (!isNamed || !(await store.accounts.settings(organizationId))) throw organizationForbidden();
  return organizationId;
}

/** @throws {ForbiddenError} `ability_denied`, naming the missing ability */
export function assertAbilities(caller: Pick<Caller, 'abilities'>, required: readonly string[]): void {
  const missing = required.find((ability) => !caller.abilities.includes(ability));
  if (missing !== undefined) {
    const message = `This operation needs the ability ${missing}, in the token and by the role of its user`;
    throw new ForbiddenError('ability_denied', message);
  }
}

/** @throws {ForbiddenError} `owner_required` when the role of the caller's user is none of these */
export function assertRole({ role }: Pick<Caller, 'role'>, allowed: readonly Role[]): void {
  if (role === undefined || !allowed.includes(role)) {
    throw new ForbiddenError('owner_required', 'Only owners of the organization may do this');
  }
}

/** The organizations that a token is bound to, in lower case; none for one that is not bound. */
export function boundOrganizations({ abilities }: Pick<ApiToken, 'abilities'>): string[] {
  return abilities
    .filter((ability) => ability.startsWith(ORGANIZATION_ABILITY))
    .map((ability) => ability.slice(ORGANIZATION_ABILITY.length).toLowerCase());
}

function boundOrganization(principal: Principal, header: string | undefined): string | undefined {
  const bound = principal.type === 'token' ? boundOrganizations(principal.token) : [];
  const named = header?.toLowerCase();
  if (bound.length === 0) return named;
  const wanted = named ?? (bound.length === 1 ? bound[0] : undefined);
  if (wanted === undefined || !bound.includes(wanted)) throw organizationForbidden();
  return wanted;
}

async function placeIn(
  { store }: Pick<Deps, 'store'>,
  userId: string,
  organizationId: string,
): Promise<Place | undefined> {
  const role = UUID.test(organizationId) ? await store.accounts.findRole(organizationId, userId) : undefined;
  return role && { organizationId, role };
}

async function onlyPlace({ store }: Pick<Deps, 'store'>, userId: string): Promise<Place | undefined> {
  const [first, ...others] = await store.accounts.membershipsOf(userId);
  return first && others.length === 0 ? { organizationId: first.organizationId, role: first.role } : undefined;
}

function organizationForbidden(): ForbiddenError {
  return new ForbiddenError('organization_forbidden', 'This credential has no access to that organization');
}
